package io.stele.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TestWriteBatch {
    private static final byte[] EMPTY = new byte[0];

    private record Operation(OperationKind kind, byte[] key, byte[] row) {}

    @Test
    void testGoldenBytes() {
        WriteBatchBuilder builder = new WriteBatchBuilder(new TableId(7), 3);
        builder.upsert(new byte[] {1, 2}, new byte[] {9, 8, 7});
        builder.delete(new byte[] {5});
        builder.append(new byte[] {6});
        assertThat(HexFormat.of().formatHex(builder.toByteArray()))
                .isEqualTo(
                        "0000000000000007"
                                + "00000003"
                                + "00000003"
                                + "01"
                                + "02"
                                + "0102"
                                + "03"
                                + "090807"
                                + "02"
                                + "01"
                                + "05"
                                + "00"
                                + "04"
                                + "00"
                                + "01"
                                + "06");
    }

    @Test
    void testRandomBatchesComeBack() {
        Random random = new Random(42);
        WriteBatchBuilder builder = new WriteBatchBuilder(new TableId(1), 1);
        for (int round = 0; round < 200; round++) {
            builder.reset(new TableId(round + 1), round);
            List<Operation> operations = new ArrayList<>();
            for (int i = random.nextInt(20); i > 0; i--) {
                Operation operation = randomOperation(random);
                operations.add(operation);
                builder.add(
                        operation.kind,
                        operation.key,
                        0,
                        operation.key.length,
                        operation.row,
                        0,
                        operation.row.length);
            }
            byte[] framed = new byte[builder.sizeBytes() + 7];
            System.arraycopy(builder.buffer(), 0, framed, 4, builder.sizeBytes());
            WriteBatchReader reader = new WriteBatchReader(framed, 4, builder.sizeBytes());
            assertThat(reader.tableId()).isEqualTo(new TableId(round + 1));
            assertThat(reader.schemaVersion()).isEqualTo(round);
            reader.validate();
            for (Operation operation : operations) {
                assertThat(reader.next()).isTrue();
                assertThat(reader.kind()).isEqualTo(operation.kind);
                assertThat(reader.key()).isEqualTo(operation.key);
                assertThat(reader.row()).isEqualTo(operation.row);
            }
            assertThat(reader.next()).isFalse();
        }
    }

    @Test
    void testDamagedBatchesAreRefusedOrReadWithinBounds() {
        Random random = new Random(7);
        WriteBatchBuilder builder = new WriteBatchBuilder(new TableId(1), 1);
        for (int i = 0; i < 5; i++) {
            Operation operation = randomOperation(random);
            builder.add(
                    operation.kind,
                    operation.key,
                    0,
                    operation.key.length,
                    operation.row,
                    0,
                    operation.row.length);
        }
        byte[] batch = builder.toByteArray();
        for (int length = 0; length < batch.length; length++) {
            byte[] cut = Arrays.copyOf(batch, length);
            assertThatThrownBy(() -> new WriteBatchReader(cut).validate())
                    .isInstanceOf(SteleException.class);
        }
        for (int round = 0; round < 5_000; round++) {
            byte[] damaged = batch.clone();
            damaged[random.nextInt(batch.length)] = (byte) random.nextInt();
            try {
                WriteBatchReader reader = new WriteBatchReader(damaged);
                while (reader.next()) {
                    assertThat(reader.keyOffset() + reader.keyLength())
                            .isLessThanOrEqualTo(damaged.length);
                    assertThat(reader.rowOffset() + reader.rowLength())
                            .isLessThanOrEqualTo(damaged.length);
                }
            } catch (SteleException e) {
                assertThat(e.getMessage()).contains("xpected");
            }
        }
    }

    @Test
    void testLimits() {
        WriteBatchBuilder builder = new WriteBatchBuilder(new TableId(1), 1);
        assertCode(
                ErrorCode.KEY_TOO_LARGE,
                () -> builder.upsert(new byte[WireLimits.MAX_KEY_BYTES + 1], EMPTY));
        assertCode(
                ErrorCode.ROW_TOO_LARGE,
                () -> builder.append(new byte[WireLimits.MAX_ROW_BYTES + 1]));
        assertThat(builder.isEmpty()).isTrue();
        byte[] row = new byte[WireLimits.MAX_ROW_BYTES];
        builder.append(row);
        builder.append(row);
        builder.append(row);
        assertCode(ErrorCode.INVALID_ARGUMENT, () -> builder.append(row));
        assertThat(builder.operationCount()).isEqualTo(3);
        new WriteBatchReader(builder.buffer(), 0, builder.sizeBytes()).validate();
    }

    @Test
    void testKindsHaveTheirParts() {
        WriteBatchBuilder builder = new WriteBatchBuilder(new TableId(1), 1);
        assertThatThrownBy(() -> builder.upsert(EMPTY, new byte[1]))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.delete(EMPTY))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.add(OperationKind.APPEND, new byte[1], 0, 1, EMPTY, 0, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(
                        () ->
                                builder.add(
                                        OperationKind.DELETE, new byte[1], 0, 1, new byte[1], 0, 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static Operation randomOperation(Random random) {
        OperationKind kind = OperationKind.values()[random.nextInt(OperationKind.values().length)];
        byte[] key = new byte[kind.hasKey() ? 1 + random.nextInt(300) : 0];
        byte[] row = new byte[kind.hasRow() ? random.nextInt(20_000) : 0];
        random.nextBytes(key);
        random.nextBytes(row);
        return new Operation(kind, key, row);
    }

    private static void assertCode(ErrorCode code, Runnable action) {
        assertThatThrownBy(action::run)
                .isInstanceOfSatisfying(
                        SteleException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining("Expected")
                .hasMessageContaining("found");
    }
}
