package io.stele.flink.changes;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.Lsn;
import org.junit.jupiter.api.Test;

/** The least position of a complete checkpoint is known when all of its positions are. */
final class TestCheckpointPositions {
    private final CheckpointPositions positions = new CheckpointPositions(2);

    @Test
    void theLeastOfAllShardsCounts() {
        positions.add(1, 0, new Lsn(20));
        positions.add(1, 1, new Lsn(10));
        assertThat(positions.complete(1)).contains(new Lsn(10));
    }

    @Test
    void aMissingShardLeavesItUnknown() {
        positions.add(1, 0, new Lsn(20));
        assertThat(positions.complete(1)).isEmpty();
        assertThat(positions.complete(2)).isEmpty();
    }

    /** The enumerator had a split when the checkpoint began, and its reader has reported it too. */
    @Test
    void aShardCountsOnce() {
        positions.add(1, 0, new Lsn(20));
        positions.add(1, 0, new Lsn(21));
        assertThat(positions.complete(1)).isEmpty();
    }

    @Test
    void checkpointsMayOverlapAndFail() {
        for (int checkpoint = 1; checkpoint <= 3; checkpoint++) {
            positions.add(checkpoint, 0, new Lsn(10 * checkpoint));
            positions.add(checkpoint, 1, new Lsn(10 * checkpoint + 1));
        }
        assertThat(positions.complete(2)).contains(new Lsn(20)); // 1 never was
        assertThat(positions.complete(1)).isEmpty();
        assertThat(positions.complete(3)).contains(new Lsn(30));
    }

    @Test
    void checkpointsThatAreNeverCompleteAreForgotten() {
        for (int checkpoint = 1; checkpoint <= 1_000; checkpoint++) {
            positions.add(checkpoint, 0, new Lsn(checkpoint));
            positions.add(checkpoint, 1, new Lsn(checkpoint));
        }
        assertThat(positions.complete(1)).isEmpty();
        assertThat(positions.complete(1_000)).contains(new Lsn(1_000));
    }
}
