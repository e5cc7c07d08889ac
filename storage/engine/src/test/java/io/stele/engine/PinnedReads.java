package io.stele.engine;

import io.stele.engine.snapshot.LeasedSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * What a workload read at and will read at again: up to three snapshots, kept open. A crash ends
 * them.
 *
 * @param <T> a snapshot and what the workload knows of it
 */
final class PinnedReads<T> {
    private static final int MOST = 3;

    private final SimulatedNode node;
    private final Function<T, LeasedSnapshot> snapshot;
    private final List<T> pinned = new ArrayList<>();
    private StorageEngine of;

    PinnedReads(SimulatedNode node, Function<T, LeasedSnapshot> snapshot) {
        this.node = node;
        this.snapshot = snapshot;
        of = node.engine();
    }

    /** Called before the workload acts: forgets what was of an engine that is gone. */
    void follow() {
        if (of != node.engine()) {
            pinned.clear();
            of = node.engine();
        }
    }

    boolean isEmpty() {
        return pinned.isEmpty();
    }

    T any(SplittableRandom random) {
        return pinned.get(random.nextInt(pinned.size()));
    }

    T last() {
        return pinned.getLast();
    }

    /** It expired. */
    void remove(T pin) {
        pinned.remove(pin);
    }

    /**
     * Opens one more, in the place of the oldest if there are too many.
     *
     * @param opened called with the snapshot as soon as it is there
     */
    void pin(Function<LeasedSnapshot, T> opened) {
        if (pinned.size() == MOST) {
            node.engine().closeSnapshot(snapshot.apply(pinned.removeFirst()).id());
        }
        StorageEngine engine = node.engine();
        engine.openSnapshot(Optional.empty(), Duration.ofMinutes(10))
                .whenComplete(
                        (found, failed) -> {
                            if (failed == null && node.engine() == engine) {
                                pinned.add(opened.apply(found));
                            }
                        });
    }
}
