package io.stele.engine.recovery;

import static java.util.Objects.requireNonNull;

import io.stele.engine.wal.HybridClock;
import io.stele.objectstore.NumberedName;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The allocator, in the object store, of a warehouse's epochs: numbers that grow with every start
 * of an engine, independent of the machines' clocks. Manifests contain them, so that of two engines
 * the one that started later owns the shards; names of files and transactions contain them.
 *
 * <p>An epoch is taken by creating the empty object {@code epoch/<epoch, 20 digits>}, which only
 * one engine can. An attempt with an unknown outcome is given up: any engine may have taken that
 * epoch, and other epochs are free.
 */
public final class Epochs {
    public static final String FOLDER = "epoch/";

    private static final int ATTEMPTS = 10;

    /**
     * Epoch objects that are retained: their numbers must not be taken again while an engine with
     * an older list may still try.
     */
    private static final int KEPT = 100;

    private final ObjectStore store;

    public Epochs(ObjectStore store) {
        this.store = requireNonNull(store, "store is null");
    }

    /**
     * Takes an epoch above all that were taken and all that the clock has observed.
     *
     * @throws IOException if the store does not answer
     */
    public long take(HybridClock clock) throws IOException {
        List<Long> taken = taken();
        if (!taken.isEmpty()) {
            clock.observeEpoch(taken.getLast());
        }
        IOException unknown = null;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            long epoch = clock.next().value();
            try {
                if (store.createIfAbsent(path(epoch), new byte[0])) {
                    forgetOld(taken);
                    return epoch;
                }
            } catch (IOException failed) {
                unknown = failed;
            }
        }
        throw new IOException(
                "Expected to take an epoch in %d attempts, found none; the last in %s"
                        .formatted(ATTEMPTS, store.describe(path(clock.last().value()))),
                unknown);
    }

    static String path(long epoch) {
        return FOLDER + NumberedName.of(epoch);
    }

    /** All taken epochs, ascending; objects with other names are not ours and are ignored. */
    private List<Long> taken() throws IOException {
        List<Long> taken = new ArrayList<>();
        for (ObjectEntry entry : store.list(FOLDER)) {
            NumberedName.parse(entry.path().substring(FOLDER.length())).ifPresent(taken::add);
        }
        taken.sort(null);
        return taken;
    }

    private void forgetOld(List<Long> taken) throws IOException {
        for (int i = 0; i < taken.size() - KEPT; i++) {
            store.delete(path(taken.get(i)));
        }
    }
}
