package io.stele.benchmarks.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

final class TestKeyModel {
    private final KeyModel key = new KeyModel();

    @Test
    void aReaderFindsWhatWasAcknowledgedOrNewer() {
        assertThat(find(0)).isTrue();
        write(3);
        key.acknowledged(2);
        assertThat(find(0)).isFalse();
        assertThat(find(1)).isFalse();
        assertThat(find(2)).isTrue();
        assertThat(find(3)).isTrue();
        assertThat(find(4)).isFalse();
    }

    @Test
    void everySeventhVersionIsNone() {
        write(7);
        key.acknowledged(6);
        assertThat(find(0)).isTrue();
        assertThat(find(7)).isFalse();
        key.acknowledged(7);
        assertThat(find(6)).isFalse();
        assertThat(find(0)).isTrue();
        write(2);
        key.acknowledged(8);
        assertThat(find(0)).isFalse();
    }

    @Test
    void aFailedWriteMayComeLateUntilTheSidecarHasBeenStarted() {
        write(5);
        key.acknowledged(1);
        key.failed(2, 3);
        key.acknowledged(5);
        assertThat(key.since(key.oldest(3)).check(Optional.of(2L))).isEmpty();
        assertThat(key.since(key.oldest(4)).check(Optional.of(2L))).isEmpty();
        assertThat(key.since(key.oldest(5)).check(Optional.of(2L))).isPresent();
        assertThat(key.since(key.oldest(5)).check(Optional.of(5L))).isEmpty();
    }

    @Test
    void onlyWhatNothingIsOnItsWayToIsCertain() {
        assertThat(key.isPresent()).isFalse();
        write(2);
        key.acknowledged(1);
        assertThat(key.isPresent()).isFalse();
        key.acknowledged(2);
        assertThat(key.isPresent()).isTrue();
        write(5);
        key.acknowledged(7);
        assertThat(key.isPresent()).isFalse();
    }

    private void write(int versions) {
        for (int version = 0; version < versions; version++) {
            key.next();
        }
    }

    /** Whether a version may be found, 0 for none. */
    private boolean find(long version) {
        return key.since(key.oldest(0))
                .check(version == 0 ? Optional.empty() : Optional.of(version))
                .isEmpty();
    }
}
