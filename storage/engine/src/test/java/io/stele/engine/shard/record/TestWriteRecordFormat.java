package io.stele.engine.shard.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The bytes of WRITE records: whoever changes them makes a new record type. */
final class TestWriteRecordFormat {
    private static final UUID WRITER = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");

    private static final String GOLDEN =
            "00112233445566778899aabbccddeeff"
                    + "0000000000000005"
                    + "ffffffffffffffff"
                    // table 7, schema version 3, 2 operations
                    + "0000000000000007"
                    + "00000003"
                    + "00000002"
                    // upsert, delete
                    + "01020102"
                    + "03090807"
                    + "02010500";

    @Test
    void goldenBytes() {
        WriteBatchBuilder batch = new WriteBatchBuilder(new TableId(7), 3);
        batch.upsert(new byte[] {1, 2}, new byte[] {9, 8, 7});
        batch.delete(new byte[] {5});
        byte[] bytes = batch.toByteArray();
        assertThat(
                        hex(
                                WriteRecord.encode(
                                        WRITER,
                                        5,
                                        WriteRecord.NO_ROW_ID,
                                        0,
                                        bytes,
                                        0,
                                        bytes.length)))
                .isEqualTo(GOLDEN);
    }

    @Test
    void goldenBytesAreRead() {
        WriteRecord read = decode(GOLDEN);
        assertThat(read.writerId()).isEqualTo(WRITER);
        assertThat(read.sequence()).isEqualTo(5);
        assertThat(read.firstRowId()).isEqualTo(WriteRecord.NO_ROW_ID);
        assertThat(read.skipped()).isZero();
        assertThat(read.batch().tableId()).isEqualTo(new TableId(7));
        assertThat(read.batch().schemaVersion()).isEqualTo(3);
        assertThat(read.batch().next()).isTrue();
        assertThat(read.batch().kind()).isEqualTo(OperationKind.UPSERT);
        assertThat(read.batch().key()).containsExactly(1, 2);
        assertThat(read.batch().row()).containsExactly(9, 8, 7);
        assertThat(read.batch().next()).isTrue();
        assertThat(read.batch().kind()).isEqualTo(OperationKind.DELETE);
        assertThat(read.batch().key()).containsExactly(5);
        assertThat(read.batch().next()).isFalse();
    }

    @Test
    void skippedOperationsAreCountedBelowTheRowIds() {
        byte[] batch = new WriteBatchBuilder(new TableId(7), 3).toByteArray();
        String encoded =
                hex(
                        WriteRecord.encode(
                                WRITER, 5, WriteRecord.NO_ROW_ID, 2, batch, 0, batch.length));
        assertThat(encoded).startsWith(GOLDEN.substring(0, 48) + "fffffffffffffffd");
        WriteRecord read = decode(encoded);
        assertThat(read.firstRowId()).isEqualTo(WriteRecord.NO_ROW_ID);
        assertThat(read.skipped()).isEqualTo(2);
    }

    @Test
    void everyTruncationIsRefused() {
        for (int length = 0; length < GOLDEN.length(); length += 2) {
            assertCorrupt(GOLDEN.substring(0, length), "expected", "found");
        }
        assertCorrupt(GOLDEN.substring(0, 62), "expected at least 32 bytes, found 31");
    }

    @Test
    void damageSaysWhatWasExpectedAndFound() {
        assertCorrupt(GOLDEN + "00", "expected to end behind its last operation, found 1");
        assertCorrupt(
                GOLDEN.replace("ffffffffffffffff", "ffffffff00000000"),
                "expected a first row id >= -",
                ", found -4294967296");
        assertCorrupt(
                GOLDEN.replace("0000000000000007", "0000000000000000"),
                "expected a table id > 0, found 0");
        assertCorrupt(
                GOLDEN.replace("02010500", "09010500"),
                "expected an operation kind from 1 to 7, found 9");
        assertCorrupt(
                GOLDEN.replace("02010500", "027f0500"),
                "expected a key of 127 bytes, found 2, in operation 1");
    }

    private static void assertCorrupt(String hex, String... parts) {
        assertThatThrownBy(() -> decode(hex))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.CORRUPT_DATA))
                .hasMessageStartingWith("Damaged WRITE record: ")
                .hasMessageContainingAll(parts);
    }

    private static WriteRecord decode(String hex) {
        return WriteRecord.decode(ByteBuffer.wrap(HexFormat.of().parseHex(hex)));
    }

    static String hex(List<ByteBuffer> pieces) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (ByteBuffer piece : pieces) {
            bytes.write(piece.array(), piece.arrayOffset() + piece.position(), piece.remaining());
        }
        return HexFormat.of().formatHex(bytes.toByteArray());
    }
}
