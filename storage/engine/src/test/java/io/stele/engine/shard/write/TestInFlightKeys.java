package io.stele.engine.shard.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TestInFlightKeys {
    private static final int KEYS = 5;

    private final InFlightKeys keys = new InFlightKeys();

    @Test
    void anUndoneBatchLeavesWhatWasBefore() {
        keys.put(key(1), key(10));
        keys.put(key(2), key(20));
        keys.keep(1);
        keys.put(key(1), key(11));
        keys.remove(new KeySlice(key(2)));
        keys.put(key(3), key(31));
        keys.keep(2);
        assertThat(value(2)).contains("gone");
        keys.undo(2);
        assertThat(value(1)).contains("10");
        assertThat(value(2)).contains("20");
        assertThat(value(3)).isEmpty();
        keys.applied(1);
        assertThat(value(1)).isEmpty();
    }

    /** Batches that are kept, undone and applied; the model has all values of each batch. */
    @Test
    void isWhatTheBatchesInFlightComeTo() {
        SplittableRandom random = new SplittableRandom(1);
        Deque<Batch> inFlight = new ArrayDeque<>();
        long last = 0;
        for (int step = 0; step < 20_000; step++) {
            switch (random.nextInt(5)) {
                case 0, 1, 2 -> {
                    Map<Integer, String> batch = new HashMap<>();
                    for (int i = random.nextInt(4); i > 0; i--) {
                        int key = random.nextInt(KEYS);
                        if (random.nextInt(4) == 0) {
                            keys.remove(new KeySlice(key(key)));
                            batch.put(key, "gone");
                        } else {
                            keys.put(key(key), key(step % 100));
                            batch.put(key, "" + step % 100);
                        }
                    }
                    keys.keep(++last);
                    inFlight.addLast(new Batch(last, batch));
                    if (random.nextInt(3) == 0) {
                        // others may be applied between
                        while (inFlight.size() > 1 && random.nextBoolean()) {
                            keys.applied(inFlight.removeFirst().number());
                        }
                        inFlight.removeLast();
                        keys.undo(last);
                    }
                }
                case 3 -> {
                    if (!inFlight.isEmpty()) {
                        keys.applied(inFlight.removeFirst().number());
                    }
                }
                default -> {}
            }
            Map<Integer, String> expected = new TreeMap<>();
            inFlight.forEach(batch -> expected.putAll(batch.values()));
            Map<Integer, String> found = new TreeMap<>();
            for (int key = 0; key < KEYS; key++) {
                int of = key;
                value(key).ifPresent(value -> found.put(of, value));
            }
            assertThat(found).as("step %s", step).isEqualTo(expected);
        }
    }

    private record Batch(long number, Map<Integer, String> values) {}

    private Optional<String> value(int key) {
        InFlightKeys.Entry entry = keys.findKept(new KeySlice(key(key)));
        if (entry == null) {
            return Optional.empty();
        }
        byte[] array = entry.array();
        return Optional.of(array == null ? "gone" : "" + array[entry.offset()]);
    }

    private static byte[] key(int value) {
        return new byte[] {(byte) value};
    }
}
