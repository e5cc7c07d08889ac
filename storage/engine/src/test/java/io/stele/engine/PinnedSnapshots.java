package io.stele.engine;

import static java.util.Objects.requireNonNull;

import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Snapshots that a workload keeps for some time, each with what it knows of it. They end with the
 * engine that leased them. Confined to the simulation's thread.
 */
final class PinnedSnapshots<S> {
    private static final Duration LEASE = Duration.ofMinutes(10);

    private final SimulatedNode node;
    private final SplittableRandom random;
    private final int most;
    private final List<Pinned<S>> points = new ArrayList<>();
    private StorageEngine leasedBy;

    PinnedSnapshots(SimulatedNode node, SplittableRandom random, int most) {
        this.node = requireNonNull(node, "node is null");
        this.random = requireNonNull(random, "random is null");
        this.most = most;
        this.leasedBy = node.engine();
    }

    private record Pinned<S>(LeasedSnapshot snapshot, S known) {}

    /** What is read at a point. */
    @FunctionalInterface
    interface Reader<S> {
        void read(LeasedSnapshot snapshot, S known) throws IOException;
    }

    /**
     * Asks for a snapshot, which is here once the engine has opened it; another one goes if there
     * are as many as may be.
     *
     * @param at empty: the present
     */
    void open(Optional<Lsn> at, S known) {
        forgetLost();
        if (points.size() >= most) {
            Pinned<S> old = points.remove(random.nextInt(points.size()));
            node.engine().closeSnapshot(old.snapshot().id());
        }
        StorageEngine engine = node.engine();
        engine.openSnapshot(at, LEASE)
                .whenComplete(
                        (snapshot, failed) -> {
                            if (failed == null && node.engine() == engine) {
                                forgetLost();
                                points.add(new Pinned<>(snapshot, known));
                            }
                        });
    }

    /** Reads at one of them, if there is any; one that has expired is forgotten. */
    void read(Reader<S> reader) throws IOException {
        forgetLost();
        if (points.isEmpty()) {
            return;
        }
        Pinned<S> pinned = points.get(random.nextInt(points.size()));
        try {
            reader.read(pinned.snapshot(), pinned.known());
        } catch (SteleException expired) {
            points.remove(pinned);
            throw expired;
        }
    }

    void clear() {
        points.clear();
    }

    private void forgetLost() {
        if (leasedBy != node.engine()) {
            points.clear();
            leasedBy = node.engine();
        }
    }
}
