package io.stele.protocol.schema;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class TestShardRouter {
    /**
     * Vectors of the reference implementation, one for each path: empty, tail, ints, longs,
     * stripes.
     */
    @Test
    void hashIsXxHash64() {
        assertThat(hash("")).isEqualTo(0xEF46DB3751D8E999L);
        assertThat(hash("a")).isEqualTo(0xD24EC4F1A98C6E5BL);
        assertThat(hash("abc")).isEqualTo(0x44BC2CF5AD770999L);
        assertThat(hash("Nobody inspects the spammish repetition")).isEqualTo(0xFBCEA83C8A378BF1L);
    }

    @Test
    void hashDependsOnTheRangeOnly() {
        byte[] bytes = "..Nobody inspects the spammish repetition...".getBytes(US_ASCII);
        assertThat(XxHash64.hash(bytes, 2, bytes.length - 5)).isEqualTo(0xFBCEA83C8A378BF1L);
    }

    /** Rows stay where they were put: these never change. */
    @Test
    void shardsArePinned() {
        assertThat(shard("")).isEqualTo(Math.floorMod(0xEF46DB3751D8E999L, 16L));
        assertThat(shard("a")).isEqualTo(11);
        assertThat(shard("abc")).isEqualTo(9);
    }

    @Test
    void keysSpreadEvenly() {
        int[] rows = new int[8];
        for (int i = 0; i < 80_000; i++) {
            byte[] key = Integer.toString(i).getBytes(US_ASCII);
            rows[ShardRouter.shard(8, key, 0, key.length)]++;
        }
        assertThat(Arrays.stream(rows).boxed().toList())
                .allSatisfy(count -> assertThat(count).isBetween(9_600, 10_400));
    }

    private static long hash(String text) {
        byte[] bytes = text.getBytes(US_ASCII);
        return XxHash64.hash(bytes, 0, bytes.length);
    }

    private static int shard(String text) {
        byte[] bytes = text.getBytes(US_ASCII);
        return ShardRouter.shard(16, bytes, 0, bytes.length);
    }
}
