package io.stele.engine.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.stele.engine.wal.RecordType;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TestRetainedLogObject {
    private static final ShardId SHARD = new ShardId(3, 1);
    private static final String GOLDEN =
            "5354454c4b455054" // STELKEPT
                    + "00000001" // version
                    + "00000003" // table group
                    + "00000001" // shard
                    + "01" // whole
                    + "0000000000000007" // LSN
                    + "01" // WRITE
                    + "00000002" // length
                    + "abcd"
                    + "0000000000000009"
                    + "04" // VOID
                    + "00000000";

    private static byte[] object() {
        RetainedLogObject object = new RetainedLogObject(SHARD, true);
        object.add(
                new Lsn(7),
                RecordType.WRITE,
                ByteBuffer.wrap(new byte[] {1, (byte) 0xab, (byte) 0xcd}, 1, 2));
        object.add(new Lsn(9), RecordType.VOID, ByteBuffer.allocate(0));
        assertThat(object.lastLsn()).isEqualTo(9);
        return object.encode();
    }

    @Test
    void bytesAreAsTheFormatSays() {
        String hex = HexFormat.of().formatHex(object());
        assertThat(hex).startsWith(GOLDEN).hasSize(GOLDEN.length() + 8);
    }

    @Test
    void recordsComeBackInOrder() {
        List<RetainedLogObject.Entry> entries = RetainedLogObject.read("kept", SHARD, object());
        assertThat(entries)
                .extracting(entry -> entry.lsn().value(), RetainedLogObject.Entry::type)
                .containsExactly(tuple(7L, RecordType.WRITE), tuple(9L, RecordType.VOID));
        assertThat(entries.getFirst().payload())
                .isEqualTo(ByteBuffer.wrap(new byte[] {(byte) 0xab, (byte) 0xcd}));
    }

    @Test
    void anyDamageIsRefused() {
        byte[] good = object();
        for (int position = 0; position < good.length; position++) {
            byte[] bad = good.clone();
            bad[position] ^= 1;
            assertCorrupt(SHARD, bad);
            assertCorrupt(SHARD, Arrays.copyOf(good, position));
        }
        assertCorrupt(new ShardId(3, 2), good);
    }

    private static void assertCorrupt(ShardId shard, byte[] object) {
        assertThatThrownBy(() -> RetainedLogObject.read("kept/3-1/9", shard, object))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_DATA))
                .hasMessageContaining("kept/3-1/9");
    }
}
