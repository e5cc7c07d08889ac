package io.stele.sidecar.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.maintenance.MaintenanceActions;
import io.stele.protocol.schema.Orientation;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import io.stele.testing.LiveFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/internal/stele-doctor} against a sidecar, from a damage to the end of it. */
final class DoctorIT {
    private static final String DOCTOR = "bin/internal/stele-doctor";
    private static final int ROWS = 100;
    private static final int ROWS_IN_LOG = 50;

    private static final Map<String, String> MEMTABLES_STAY =
            Map.of("stele.memtable.max-age", "1h");

    /** Of the script: its exit status, and what it printed. */
    private record Answer(int status, String text) {}

    @Test
    void whatIsDamagedIsListedAndDroppedAndTheSidecarGoesOn(@TempDir Path directory)
            throws Exception {
        assumeTrue(isThere("curl"), "needs curl");
        try (TestingSidecar sidecar = TestingSidecar.start(directory, MEMTABLES_STAY)) {
            sidecar.createTable(SampleTables.orders(Orientation.COLUMN));
            write(sidecar, ROWS, "in a file");
            sidecar.flight().action(MaintenanceActions.FLUSH, TableRequest.of("shop", "orders"));
            // So that the next start looks for these keys in files
            write(sidecar, ROWS_IN_LOG, "in the log");
            Answer list = doctor(sidecar, "list");
            assertThat(list).isEqualTo(new Answer(0, "Nothing is damaged.\n"));
            assertThat(doctor(sidecar)).as("list is the default").isEqualTo(list);
        }
        String object = damageOneKeyIndex(directory.resolve("warehouse"));

        try (TestingSidecar sidecar = TestingSidecar.start(directory, MEMTABLES_STAY)) {
            Answer list = doctor(sidecar, "list");
            assertThat(list.status()).isEqualTo(2);
            assertThat(list.text())
                    .startsWith(object + "\n")
                    .contains("table:  shop.orders", "reason: Expected");
            assertSetAside(sidecar);
            Answer refused = doctor(sidecar, "drop", object + "x");
            assertThat(refused.status()).isEqualTo(1);
            assertThat(refused.text()).contains("something is set aside for (now: [" + object);
            Answer dropped = doctor(sidecar, "drop", object);
            assertThat(dropped.status()).isZero();
            assertThat(dropped.text().strip())
                    .isEqualTo(
                            object
                                    + " is given up. Restart the sidecar: what was set aside for it serves again without it.");
            assertThat(doctor(sidecar, "list").status()).as("until the restart").isEqualTo(2);
        }

        try (TestingSidecar sidecar = TestingSidecar.start(directory, MEMTABLES_STAY)) {
            assertThat(doctor(sidecar, "list")).isEqualTo(new Answer(0, "Nothing is damaged.\n"));
            assertOnlyRowsOfTheFileAreLost(sidecar);
            write(sidecar, ROWS, "again");
            sidecar.flight().action(MaintenanceActions.FLUSH, TableRequest.of("shop", "orders"));
        }
        try (TestingSidecar sidecar = TestingSidecar.start(directory, MEMTABLES_STAY)) {
            assertThat(doctor(sidecar).status()).isZero();
            assertThat(present(sidecar)).hasSize(ROWS);
        }
    }

    @Test
    void mistakesAreNamed(@TempDir Path directory) throws Exception {
        assumeTrue(isThere("curl"), "needs curl");
        try (TestingSidecar sidecar = TestingSidecar.start(directory)) {
            assertMistake(doctor(sidecar, "drop"), "Expected one OBJECT");
            assertMistake(doctor(sidecar, "heal"), "Expected a command, found: heal");
            String uri = sidecar.server().httpUri().toString();
            assertMistake(run(uri, "", "list"), "STELE_SHARED_SECRET, found none");
            assertMistake(run(uri, "the secret of others", "list"), "401");
            assertMistake(
                    run(uri, "the secret of others", "drop", "data/1/0/a.orc"),
                    "not this sidecar's shared secret");
            assertThat(doctor(sidecar, "help").text()).contains("usage: stele-doctor");
        }
    }

    private static void assertMistake(Answer answer, String text) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(1);
        assertThat(answer.text()).containsIgnoringCase(text);
    }

    private static void write(TestingSidecar sidecar, int rows, String status) throws Exception {
        try (SteleClient client = sidecar.client();
                TableWriter writer = client.writer("shop", "orders")) {
            for (long id = 0; id < rows; id++) {
                writer.upsert(id, status, id / 2.0, null);
            }
            writer.flush();
        }
    }

    /** Flips a bit of the blocks; the name of the object. */
    private static String damageOneKeyIndex(Path warehouse) throws IOException {
        Path index =
                LiveFolder.files(warehouse.resolve("data")).stream()
                        .filter(path -> path.toString().endsWith(".idx"))
                        .sorted()
                        .findFirst()
                        .orElseThrow();
        byte[] content = Files.readAllBytes(index);
        content[30] ^= 1;
        Files.write(index, content);
        return warehouse.relativize(index).toString();
    }

    private static void assertSetAside(TestingSidecar sidecar) {
        assertThatThrownBy(() -> present(sidecar))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_DATA))
                .hasMessageContaining("is set aside");
    }

    private static void assertOnlyRowsOfTheFileAreLost(TestingSidecar sidecar) {
        List<Long> present = present(sidecar);
        for (long id = 0; id < ROWS_IN_LOG; id++) {
            assertThat(present).contains(id);
        }
        assertThat(present).hasSizeBetween(ROWS_IN_LOG + 1, ROWS - 1);
    }

    private static List<Long> present(TestingSidecar sidecar) {
        List<Long> present = new ArrayList<>();
        try (SteleClient client = sidecar.client()) {
            for (long id = 0; id < ROWS; id++) {
                if (client.table("shop", "orders").get(id).isPresent()) {
                    present.add(id);
                }
            }
        }
        return present;
    }

    private static Answer doctor(TestingSidecar sidecar, String... arguments) throws Exception {
        return run(sidecar.server().httpUri().toString(), TestingSidecar.SECRET, arguments);
    }

    private static Answer run(String sidecar, String secret, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(home().resolve(DOCTOR).toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("STELE_SIDECAR", sidecar);
        builder.environment().put("STELE_SHARED_SECRET", secret);
        return answer(builder);
    }

    private static Answer answer(ProcessBuilder builder) throws Exception {
        Process process = builder.start();
        process.getOutputStream().close();
        String text = new String(process.getInputStream().readAllBytes(), UTF_8);
        return new Answer(process.waitFor(), text);
    }

    private static boolean isThere(String program) throws Exception {
        return answer(new ProcessBuilder("sh", "-c", "command -v " + program)).status() == 0;
    }

    /** The repository: the folder above the present one that has the script. */
    private static Path home() {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.exists(at.resolve(DOCTOR))) {
            at = at.getParent();
        }
        return at;
    }
}
