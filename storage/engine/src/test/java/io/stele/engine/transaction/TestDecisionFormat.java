package io.stele.engine.transaction;

import static io.stele.engine.Refusals.assertRefused;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import io.stele.testing.DocumentedExample;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The bytes of version 1 of decision objects: whoever changes them makes a version 2. */
final class TestDecisionFormat {
    private static final String COMMITTED =
            """
            stele-decision 1
            transaction t-1
            outcome committed
            lsn 65536001
            publish 7
            decided-by 3
            crc32c e7ec0f46
            """;

    private static final String ABORTED =
            """
            stele-decision 1
            transaction t-2
            outcome aborted
            lsn 0
            publish -
            decided-by 4
            crc32c 54624c39
            """;

    @Test
    void goldenBytes() {
        Decision committed =
                new Decision("t-1", true, new Lsn(65536001), Optional.of(new TableId(7)), 3);
        assertThat(new String(committed.encode(), UTF_8)).isEqualTo(COMMITTED);
        assertThat(decode("txn/t-1", COMMITTED)).isEqualTo(committed);

        Decision aborted = Decision.aborted("t-2", 4);
        assertThat(new String(aborted.encode(), UTF_8)).isEqualTo(ABORTED);
        assertThat(decode("txn/t-2", ABORTED)).isEqualTo(aborted);
    }

    @Test
    void theExampleOfTheDocumentationIsThis() throws IOException {
        assertThat(DocumentedExample.of("docs/format.md", "text"))
                .extracting(DocumentedExample::text)
                .containsExactly(COMMITTED);
    }

    @Test
    void everyFlippedBitIsRefused() {
        byte[] bytes = COMMITTED.getBytes(UTF_8);
        for (int bit = 0; bit < 8 * bytes.length; bit++) {
            byte[] damaged = bytes.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            assertCorrupt("txn/t-1", damaged, "Expected ", ", found ", " in txn/t-1");
        }
    }

    @Test
    void everyTruncationIsRefused() {
        for (int length = 0; length < COMMITTED.length(); length++) {
            assertCorrupt(
                    "txn/t-1",
                    COMMITTED.substring(0, length).getBytes(UTF_8),
                    "Expected ",
                    ", found ",
                    " in txn/t-1");
        }
    }

    @Test
    void damageSaysWhatWasExpectedAndFound() {
        assertCorrupt(
                "txn/t-1",
                COMMITTED.replace("crc32c e7ec0f46", "crc32c 00000000").getBytes(UTF_8),
                "Expected checksum 00000000, found e7ec0f46 in txn/t-1");
        assertCorrupt(
                "txn/t-9",
                COMMITTED.getBytes(UTF_8),
                "Expected the decision of that transaction, found t-1 in txn/t-9");
        assertCorrupt(
                "txn/t-1",
                COMMITTED.replace("decision 1", "decision 2").getBytes(UTF_8),
                "Expected a decision of version 1, found stele-decision 2 in txn/t-1");
        assertCorrupt(
                "txn/t-1",
                COMMITTED
                        .replace("committed", "perhaps")
                        .replace("e7ec0f46", "f4132a38")
                        .getBytes(UTF_8),
                "Expected outcome committed or aborted, found perhaps in txn/t-1");
        assertCorrupt(
                "txn/t-1",
                COMMITTED
                        .replace("65536001", "many")
                        .replace("e7ec0f46", "bcd4d05b")
                        .getBytes(UTF_8),
                "Expected lsn with a number, found many in txn/t-1");
    }

    private static void assertCorrupt(String path, byte[] bytes, String... parts) {
        assertRefused(ErrorCode.CORRUPT_DATA, () -> Decision.decode(path, bytes))
                .hasMessageContainingAll(parts);
    }

    private static Decision decode(String path, String text) {
        return Decision.decode(path, text.getBytes(UTF_8));
    }
}
