package io.stele.columnfile.index;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.columnfile.bytes.ByteSink;
import io.stele.protocol.SteleException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestPackedEntries {
    private static final String PATH = "data/1/0-0/a.idx";

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void payloadsComeBackToTheByte(long seed) {
        Random random = new Random(seed);
        int packed = 0;
        for (int round = 0; round < 200; round++) {
            List<byte[]> keys = keys(random);
            int most = 1 + random.nextInt(1 << (1 + random.nextInt(30)));
            boolean hasOrdinals = random.nextBoolean();
            byte[] payload =
                    payload(
                            keys,
                            1 + random.nextInt(20),
                            random.nextBoolean(),
                            hasOrdinals,
                            () -> random.nextInt(most));
            ByteSink stored = PackedEntries.pack(payload, payload.length);
            if (stored != null) {
                packed++;
                assertThat(unpack(stored.toByteArray(), payload.length)).isEqualTo(payload);
            }
        }
        assertThat(packed).isGreaterThan(150);
    }

    @Test
    void extremes() {
        for (int ordinal : new int[] {0, 127, 128, Integer.MAX_VALUE}) {
            byte[] payload =
                    payload(
                            List.of(new byte[0], new byte[0], new byte[] {-1}),
                            1,
                            true,
                            true,
                            () -> ordinal);
            ByteSink stored = PackedEntries.pack(payload, payload.length);
            assertThat(unpack(stored.toByteArray(), payload.length)).isEqualTo(payload);
        }
        byte[] wide =
                payload(List.of(new byte[60_000], new byte[65_000]), 16, true, false, () -> 0);
        ByteSink stored = PackedEntries.pack(wide, wide.length);
        assertThat(unpack(stored.toByteArray(), wide.length)).isEqualTo(wide);
    }

    /** SST files have rows as values; an index has places of blocks. */
    @Test
    void otherValuesAreLeftAlone() {
        EntryBlockBuilder builder = new EntryBlockBuilder(64, 16, true);
        builder.add("a".getBytes(UTF_8), 0, 1, 2).writeBytes(new byte[] {1, 2}, 0, 2);
        builder.addHash(1);
        ByteSink payload = builder.finish();
        assertThat(PackedEntries.pack(payload.array(), payload.size())).isNull();

        builder.clear(16); // of a longer form than needed: it would be another one afterwards
        builder.add("a".getBytes(UTF_8), 0, 1, 2).writeBytes(new byte[] {(byte) 0x81, 0}, 0, 2);
        builder.addHash(1);
        payload = builder.finish();
        assertThat(PackedEntries.pack(payload.array(), payload.size())).isNull();

        builder.clear(16);
        builder.add("a".getBytes(UTF_8), 0, 1, 1).writeByte(1);
        builder.add("b".getBytes(UTF_8), 0, 1, 0);
        payload = builder.finish();
        assertThat(PackedEntries.pack(payload.array(), payload.size())).isNull();
    }

    /** Behind a right checksum, from who wrote nonsense: an error, or another payload, no more. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void nonsenseIsRefused(long seed) {
        Random random = new Random(seed);
        int refused = 0;
        for (int round = 0; round < 2_000; round++) {
            byte[] payload =
                    payload(
                            keys(random),
                            1 + random.nextInt(20),
                            true,
                            random.nextBoolean(),
                            () -> random.nextInt(1000));
            ByteSink sink = PackedEntries.pack(payload, payload.length);
            if (sink == null) {
                continue;
            }
            byte[] stored = sink.toByteArray();
            for (int i = random.nextInt(4); i >= 0; i--) {
                stored[
                                random.nextInt(
                                        random.nextBoolean()
                                                ? Math.min(40, stored.length)
                                                : stored.length)] ^=
                        (byte) (1 << random.nextInt(8));
            }
            if (random.nextInt(4) == 0) {
                stored = Arrays.copyOf(stored, random.nextInt(stored.length + 10));
            }
            try {
                assertThat(unpack(stored, payload.length)).hasSize(payload.length);
            } catch (SteleException e) {
                refused++;
                assertThat(e).hasMessageContaining(PATH);
            }
        }
        assertThat(refused).isGreaterThan(1_000);
        assertThatThrownBy(() -> unpack(new byte[0], 100)).isInstanceOf(SteleException.class);
    }

    private interface Ordinals {
        int next();
    }

    private static byte[] payload(
            List<byte[]> keys,
            int restartInterval,
            boolean hashed,
            boolean hasOrdinals,
            Ordinals ordinals) {
        EntryBlockBuilder builder = new EntryBlockBuilder(1 << 10, restartInterval, hashed);
        byte[] before = null;
        for (byte[] key : keys) {
            int ordinal = ordinals.next();
            int length = Math.max(1, (38 - Integer.numberOfLeadingZeros(ordinal)) / 7);
            ByteSink value = builder.add(key, 0, key.length, hasOrdinals ? length : 0);
            if (hasOrdinals) {
                value.writeVarint(ordinal);
            }
            if (!Arrays.equals(before, key)) {
                builder.addHash(BloomFilter.hash(key, 0, key.length));
            }
            before = key;
        }
        ByteSink payload = builder.finish();
        return payload.toByteArray();
    }

    private static byte[] unpack(byte[] stored, int rawLength) {
        return PackedEntries.unpack(PATH, 0, stored, 0, stored.length, rawLength);
    }

    /** Sorted, some of them twice: numbers, or bytes of any length. */
    private static List<byte[]> keys(Random random) {
        List<byte[]> keys = new ArrayList<>();
        if (random.nextInt(4) == 0) {
            keys.addAll(RandomKeys.keys(random, 1 + random.nextInt(30)));
        } else {
            int length = 8 + random.nextInt(20);
            int gap = 1 + random.nextInt(1 << random.nextInt(24));
            long number = random.nextLong() >>> 1;
            for (int count = 1 + random.nextInt(800); count > 0; count--) {
                number += 1 + random.nextInt(gap);
                byte[] key = new byte[length];
                ByteBuffer.wrap(key).putLong(0, number);
                if (random.nextBoolean()) {
                    key[length - 1] |= 1;
                }
                keys.add(key);
            }
        }
        for (int i = keys.size() - 1; i > 0; i--) {
            if (random.nextInt(20) == 0) {
                keys.set(i, keys.get(i - 1));
            }
        }
        keys.sort(RandomKeys.ORDER);
        return keys;
    }
}
