package io.stele.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class TestDoorkeeper {
    @Test
    void testKnowsWhatCameBefore() {
        Doorkeeper doorkeeper = new Doorkeeper(20);
        SplittableRandom random = new SplittableRandom(1);
        int[] hashes = random.ints(1_000).toArray();
        int knownAtOnce = 0;
        for (int hash : hashes) {
            knownAtOnce += doorkeeper.recordAccess(hash) ? 1 : 0;
        }
        assertThat(knownAtOnce).isLessThan(10);
        for (int hash : hashes) {
            assertThat(doorkeeper.recordAccess(hash)).isTrue();
        }
    }

    @Test
    void testForgetsWhenHalfFull() {
        Doorkeeper doorkeeper = new Doorkeeper(6);
        assertThat(doorkeeper.recordAccess(1)).isFalse();
        assertThat(doorkeeper.recordAccess(1)).isTrue();
        // Enough others to set half of 64 bits a few times over
        int forgotten = 0;
        for (int hash = 2; hash < 200; hash++) {
            doorkeeper.recordAccess(hash);
            forgotten += doorkeeper.recordAccess(1) ? 0 : 1;
        }
        assertThat(forgotten).isPositive().isLessThan(20);
    }

    @Test
    void testRefusesSizesItCannotHave() {
        assertThatThrownBy(() -> new Doorkeeper(5)).hasMessageContaining("6 to 30: 5");
        assertThatThrownBy(() -> new Doorkeeper(31)).hasMessageContaining("6 to 30: 31");
    }
}
