package io.stele.engine.row;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

class TestMergingVersions {
    /** Keys from a first one on, every so many; every third look at whether there is more fails. */
    private static final class Faltering implements Iterator<KeyedVersion> {
        private final int step;
        private int next;
        private int looks;

        Faltering(int first, int step) {
            this.next = first;
            this.step = step;
        }

        @Override
        public boolean hasNext() {
            if (++looks % 3 == 0) {
                throw new IllegalStateException("not now");
            }
            return next < 100;
        }

        @Override
        public KeyedVersion next() {
            byte[] key = {(byte) next};
            next += step;
            return KeyedVersion.live(key, 0, 1, 1, key, 0, 1);
        }
    }

    @Test
    void aSequenceThatFailsToGoOnLeavesAllAsItWas() {
        MergingVersions merged =
                new MergingVersions(List.of(new Faltering(0, 2), new Faltering(1, 2)));
        List<Integer> keys = new ArrayList<>();
        int failures = 0;
        while (merged.hasNext()) {
            try {
                keys.add((int) merged.next().key()[0]);
            } catch (IllegalStateException notNow) {
                failures++;
            }
        }

        assertThat(failures).isGreaterThan(10);
        assertThat(keys).hasSize(100).isSorted().doesNotHaveDuplicates();
    }
}
