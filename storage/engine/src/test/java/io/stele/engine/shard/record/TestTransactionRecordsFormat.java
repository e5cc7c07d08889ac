package io.stele.engine.shard.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileKind;
import io.stele.engine.shard.record.TransactionRecords.Commit;
import io.stele.engine.shard.record.TransactionRecords.Outcome;
import io.stele.engine.shard.record.TransactionRecords.Prepare;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.protocol.wire.WriteBatchReader;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * The bytes of PREPARE, OUTCOME and COMMIT records: whoever changes them makes new record types.
 */
final class TestTransactionRecordsFormat {
    private static final String FILE_JSON =
            "{\"fileId\":\"a\",\"tableId\":7,\"kind\":\"COLUMN\",\"level\":0,\"path\":\"data/7/0/a.orc\","
                    + "\"sizeBytes\":100,\"rowCount\":2,\"minLsn\":0,\"maxLsn\":0,\"ingestLsn\":null,"
                    + "\"firstRowId\":null,\"schemaVersion\":3,\"minKey\":null,\"maxKey\":null,"
                    + "\"partition\":null,\"columnStats\":{},\"keyIndex\":null,\"deleteVector\":null}";

    // "t-1", read LSN 9, 1 file
    private static final String PREPARE_HEAD = "00000003742d31" + "0000000000000009" + "00000001";

    // 1 batch of 20 bytes: table 7, schema version 3, delete key 05
    private static final String PREPARE_BATCHES =
            "00000001" + "00000014" + "0000000000000007" + "00000003" + "00000001" + "02010500";

    private static final String PREPARE =
            PREPARE_HEAD
                    + HexFormat.of().toHexDigits(FILE_JSON.length())
                    + HexFormat.of().formatHex(FILE_JSON.getBytes(UTF_8))
                    + PREPARE_BATCHES;

    /** "t-1", committed; table 7 from row 100, table 8 from row 200. */
    private static final String OUTCOME =
            "00000003742d31"
                    + "01"
                    + "00000002"
                    + "0000000000000007"
                    + "0000000000000064"
                    + "0000000000000008"
                    + "00000000000000c8";

    /** The same rows, of a repeatable transaction, with the delete of key 05. */
    private static final String COMMIT = OUTCOME + PREPARE_BATCHES;

    @Test
    void goldenPrepare() {
        WriteBatchBuilder batch = new WriteBatchBuilder(new TableId(7), 3);
        batch.delete(new byte[] {5});
        Prepare prepare =
                new Prepare(
                        "t-1",
                        Optional.of(new Lsn(9)),
                        List.of(file()),
                        List.of(ByteBuffer.wrap(batch.toByteArray())));
        assertThat(TestWriteRecordFormat.hex(TransactionRecords.encode(prepare)))
                .isEqualTo(PREPARE);

        Prepare read = prepare(PREPARE);
        assertThat(read.transactionId()).isEqualTo("t-1");
        assertThat(read.readLsn()).contains(new Lsn(9));
        assertThat(read.files()).containsExactly(file());
        assertThat(read.batches()).containsExactly(ByteBuffer.wrap(batch.toByteArray()));
        assertThat(TransactionRecords.reader(read.batches().getFirst()).tableId())
                .isEqualTo(new TableId(7));
    }

    @Test
    void goldenPrepareWithoutConflictCheck() {
        String golden = "00000003742d31" + "ffffffffffffffff" + "00000000" + "00000000";
        Prepare prepare = new Prepare("t-1", Optional.empty(), List.of(), List.of());
        assertThat(TestWriteRecordFormat.hex(TransactionRecords.encode(prepare))).isEqualTo(golden);
        assertThat(prepare(golden)).isEqualTo(prepare);
    }

    @Test
    void goldenPrepareWithPartitionDelete() {
        String predicate =
                "{\"domains\":{\"2\":{\"nullAllowed\":false,\"ranges\":[{\"low\":\"gAAAAAAAAAE=\","
                        + "\"lowInclusive\":true,\"high\":\"gAAAAAAAAAE=\",\"highInclusive\":true}]}}}";
        String golden =
                "00000003742d31"
                        + "ffffffffffffffff"
                        + "00000000"
                        + "00000000"
                        + "00000001"
                        + "0000000000000007"
                        + HexFormat.of().toHexDigits(predicate.length())
                        + HexFormat.of().formatHex(predicate.getBytes(UTF_8));
        byte[] one = ValueCodec.of(DataType.parse("bigint")).encodeLong(1);
        Prepare prepare =
                new Prepare(
                        "t-1",
                        Optional.empty(),
                        List.of(),
                        List.of(),
                        List.of(
                                new PartitionDelete(
                                        new TableId(7),
                                        new ScanPredicate(
                                                Map.of(
                                                        2,
                                                        ColumnDomain.of(ValueRange.equal(one)))))));
        assertThat(TestWriteRecordFormat.hex(TransactionRecords.encode(prepare))).isEqualTo(golden);
        assertThat(prepare(golden)).isEqualTo(prepare);
    }

    @Test
    void goldenPrepareThatContinues() {
        String golden =
                "00000003742d31" + "ffffffffffffffff" + "00000000" + "00000000" + "00000000" + "01";
        Prepare prepare =
                new Prepare("t-1", Optional.empty(), List.of(), List.of(), List.of(), true);
        assertThat(TestWriteRecordFormat.hex(TransactionRecords.encode(prepare))).isEqualTo(golden);
        assertThat(prepare(golden)).isEqualTo(prepare);
    }

    @Test
    void goldenOutcome() {
        Outcome outcome =
                new Outcome(
                        "t-1", true, Map.of(new TableId(8), 200L, new TableId(7), 100L), Map.of());
        assertThat(TestWriteRecordFormat.hex(TransactionRecords.encode(outcome)))
                .isEqualTo(OUTCOME);
        assertThat(outcome(OUTCOME)).isEqualTo(outcome);

        String aborted = "00000003742d31" + "00" + "00000000";
        Outcome abort = Outcome.aborted("t-1");
        assertThat(TestWriteRecordFormat.hex(TransactionRecords.encode(abort))).isEqualTo(aborted);
        assertThat(outcome(aborted)).isEqualTo(abort);
    }

    @Test
    void goldenOutcomeWithResolvedBatch() {
        String golden =
                "00000003742d31"
                        + "01"
                        + "00000000"
                        + "00000001"
                        + "00000002"
                        + PREPARE_BATCHES.substring(8);
        WriteBatchBuilder batch = new WriteBatchBuilder(new TableId(7), 3);
        batch.delete(new byte[] {5});
        Outcome outcome = new Outcome("t-1", true, Map.of(), Map.of(2, batch.toByteArray()));
        assertThat(TestWriteRecordFormat.hex(TransactionRecords.encode(outcome))).isEqualTo(golden);
        Outcome read = outcome(golden);
        assertThat(read.resolved()).containsOnlyKeys(2);
        assertThat(read.resolved().get(2)).isEqualTo(batch.toByteArray());
        assertCorrupt(() -> outcome(golden + "00"), "OUTCOME", "expected the end");
        assertCorrupt(() -> outcome(golden.replace("02010500", "02010501")), "OUTCOME", "expected");
    }

    @Test
    void goldenCommit() {
        WriteBatchBuilder batch = new WriteBatchBuilder(new TableId(7), 3);
        batch.delete(new byte[] {5});
        Commit commit =
                new Commit(
                        "t-1",
                        true,
                        List.of(new WriteBatchReader(batch.toByteArray())),
                        Map.of(new TableId(8), 200L, new TableId(7), 100L));
        assertThat(TestWriteRecordFormat.hex(TransactionRecords.encode(commit))).isEqualTo(COMMIT);
        Commit read = commit(COMMIT);
        assertThat(read.transactionId()).isEqualTo("t-1");
        assertThat(read.firstRowIds()).isEqualTo(commit.firstRowIds());
        assertThat(read.batches()).hasSize(1);
        assertThat(read.batches().getFirst().tableId()).isEqualTo(new TableId(7));
        assertThat(TransactionRecords.repeatableId(payload(COMMIT))).contains("t-1");
        String session = COMMIT.replace("742d3101", "742d3100");
        assertThat(TransactionRecords.repeatableId(payload(session))).isEmpty();
        assertThat(commit(session).isRepeatable()).isFalse();
        assertCorrupt(() -> commit(COMMIT + "00"), "COMMIT", "expected the end");
        assertCorrupt(
                () -> commit(COMMIT.replace("742d3101", "742d3102")),
                "COMMIT",
                "expected repeatable 0 or 1, found 2, before byte 8 of");
        assertCorrupt(() -> commit(COMMIT.replace("02010500", "02010501")), "COMMIT", "expected");
    }

    @Test
    void everyTruncationIsRefused() {
        for (int length = 0; length < COMMIT.length(); length += 2) {
            String part = COMMIT.substring(0, length);
            assertCorrupt(() -> commit(part), "COMMIT", "xpected", "found");
        }
        for (int length = 0; length < PREPARE.length(); length += 2) {
            String part = PREPARE.substring(0, length);
            assertCorrupt(() -> prepare(part), "PREPARE", "xpected", "found");
        }
        for (int length = 0; length < OUTCOME.length(); length += 2) {
            String part = OUTCOME.substring(0, length);
            assertCorrupt(() -> outcome(part), "OUTCOME", "expected", "found");
        }
    }

    @Test
    void damageSaysWhatWasExpectedAndFound() {
        assertCorrupt(
                () -> outcome(OUTCOME + "00"),
                "OUTCOME",
                "expected a count of resolved batches of 4 bytes, found 1, before byte 44 of 45");
        assertCorrupt(
                () -> outcome(OUTCOME.replace("742d3101", "742d3107")),
                "OUTCOME",
                "expected committed 0 or 1, found 7, before byte 8 of 44");
        assertCorrupt(
                () -> outcome(OUTCOME.replace("0100000002", "0180000000")),
                "OUTCOME",
                "expected 0 to 2 tables, found -2147483648");
        assertCorrupt(
                () -> outcome("7fffffff742d31"),
                "OUTCOME",
                "expected a transaction id of 0 to 3 bytes, found 2147483647");
        assertCorrupt(
                () -> prepare(PREPARE.replace("0000000000000009", "fffffffffffffff0")),
                "PREPARE",
                "expected a read LSN >= -1, found -16");
        assertCorrupt(
                () -> prepare(PREPARE.replace("02010500", "09010500")),
                "PREPARE",
                "expected an operation kind from 1 to 7, found 9");
        assertCorrupt(
                () -> prepare(PREPARE.replace("726f77436f756e74223a32", "726f77436f756e74223a30")),
                "PREPARE",
                "Expected a row count > 0, found 0 for data/7/0/a.orc");
    }

    private static FileEntry file() {
        return new FileEntry(
                "a",
                new TableId(7),
                FileKind.COLUMN,
                0,
                "data/7/0/a.orc",
                100,
                2,
                Lsn.MIN,
                Lsn.MIN,
                Optional.empty(),
                OptionalLong.empty(),
                3,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Map.of(),
                Optional.empty(),
                Optional.empty());
    }

    private static void assertCorrupt(ThrowingCallable read, String record, String... parts) {
        assertThatThrownBy(read)
                .isInstanceOfSatisfying(
                        SteleException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.CORRUPT_DATA))
                .hasMessageStartingWith("Damaged " + record + " record")
                .hasMessageContainingAll(parts);
    }

    private static Prepare prepare(String hex) {
        return TransactionRecords.decodePrepare(payload(hex));
    }

    private static Outcome outcome(String hex) {
        return TransactionRecords.decodeOutcome(payload(hex));
    }

    private static Commit commit(String hex) {
        return TransactionRecords.decodeCommit(payload(hex));
    }

    private static ByteBuffer payload(String hex) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
    }
}
