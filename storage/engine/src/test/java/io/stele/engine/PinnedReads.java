package io.stele.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * What a workload read at and will read at again: up to three read points, kept open. A crash ends
 * them.
 *
 * @param <T> a read point and what the workload knows of it
 */
final class PinnedReads<T> {
    private static final int MOST = 3;

    private final SimulatedNode node;
    private final Function<T, ReadPoint> point;
    private final List<T> pinned = new ArrayList<>();
    private StorageEngine of;

    PinnedReads(SimulatedNode node, Function<T, ReadPoint> point) {
        this.node = node;
        this.point = point;
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
     * @param opened called with the read point as soon as it is there
     */
    void pin(Function<ReadPoint, T> opened) {
        if (pinned.size() == MOST) {
            node.engine().closeReadPoint(point.apply(pinned.removeFirst()).id());
        }
        StorageEngine engine = node.engine();
        engine.openReadPoint(Optional.empty(), Duration.ofMinutes(10))
                .whenComplete(
                        (found, failed) -> {
                            if (failed == null && node.engine() == engine) {
                                pinned.add(opened.apply(found));
                            }
                        });
    }
}
