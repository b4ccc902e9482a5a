import com.google.measurement.client.MockRunner;
import com.google.measurement.client.data.DbTestUtil;
import com.google.measurement.client.data.SQLiteDatabase;
import java.io.File;
import java.util.Arrays;

/** Simulates each file of a folder, one user in each, as MockRunnerMain does, but all in one process. */
public final class ManyUsers {
  /** What the simulation's own tests empty between two runs (E2EAbstractTest.emptyTables). */
  private static final String[] TABLES = {
    "msmt_source",
    "msmt_trigger",
    "msmt_event_report",
    "msmt_attribution",
    "msmt_aggregate_report",
    "msmt_async_registration_contract",
    "msmt_app_report_history"
  };

  public static void main(String[] args) throws Exception {
    SQLiteDatabase database = DbTestUtil.getMeasurementDbHelperForTest().getWritableDatabase();
    File[] users = new File(args[0]).listFiles();
    Arrays.sort(users);
    for (File user : users) {
      new MockRunner().run(new String[] {"--input_path", user.getPath()});
      for (String table : TABLES) database.delete(table, null, null);
    }
  }
}
