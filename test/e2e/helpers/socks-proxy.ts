import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A proxy that resolves names itself (RFC 1928), all to this device. */
export class SocksProxy {
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<SocksProxy> {
    const server = createServer();
    const proxy = new SocksProxy(server);
    server.on('connection', (client) => void proxy.serve(client).catch(() => client.destroy()));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get preferences(): Readonly<Record<string, string | number | boolean>> {
    return {
      'network.proxy.type': 1,
      'network.proxy.socks': '127.0.0.1',
      'network.proxy.socks_port': (this.server.address() as AddressInfo).port,
      'network.proxy.socks_remote_dns': true,
    };
  }

  async close(): Promise<void> {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await once(this.server, 'close');
  }

  private async serve(client: Socket): Promise<void> {
    this.keep(client);
    await once(client, 'data');
    client.write(Buffer.from([5, 0]));
    const [request] = (await once(client, 'data')) as [Buffer];
    // The port is at the end, after the name.
    const target = connect(request.readUInt16BE(request.length - 2), '127.0.0.1');
    this.keep(target);
    await once(target, 'connect');
    client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
    client.pipe(target).pipe(client);
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.sockets.delete(socket));
  }
}
