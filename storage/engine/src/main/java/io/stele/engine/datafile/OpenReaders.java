package io.stele.engine.datafile;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * A limit of the memory of a node's open file readers. Beyond it, readers that were not used
 * recently are closed; the next use opens the file again. The order is that of a clock: a reader
 * that was used since the hand passed it gets a second chance.
 *
 * <p>Thread-safe. A reader that is closed here still works for those who have it.
 */
final class OpenReaders {
    /** What a reader has besides the top of its index: about a dozen small objects. */
    private static final long READER_BYTES = 600;

    /** Readers that one opening passes, so that it does not take long. */
    private static final int MAX_STEPS = 64;

    private final long maxBytes;

    @GuardedBy("this")
    private final Queue<Open> clock = new ArrayDeque<>();

    @GuardedBy("this")
    private long bytes;

    OpenReaders(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Adds a reader that was opened just now. */
    synchronized void opened(LazyReader<?> reader, long indexBytes) {
        boolean unused = reader.takeUse(); // the first use does not count
        Open added = new Open(new WeakReference<>(reader), READER_BYTES + indexBytes);
        bytes += added.bytes;
        for (int step = 0; bytes > maxBytes && step < MAX_STEPS && !clock.isEmpty(); step++) {
            Open oldest = clock.remove();
            LazyReader<?> holder = oldest.reader.get();
            if (holder != null && holder.takeUse()) {
                clock.add(oldest);
                continue;
            }
            if (holder != null) {
                holder.close();
            }
            bytes -= oldest.bytes;
        }
        clock.add(added);
    }

    /** The memory of all open readers, about. */
    synchronized long bytes() {
        return bytes;
    }

    /**
     * A reader that is open.
     *
     * @param reader its holder, weakly: holders of files that were replaced are not needed any more
     */
    private record Open(WeakReference<LazyReader<?>> reader, long bytes) {}
}
