export type Tone = 'good' | 'warn' | 'bad' | 'soft';
