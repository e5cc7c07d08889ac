package io.stele.sidecar.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The byte budget of replies that are being made, or that their clients have not yet received,
 * shared by all connections of the framed and the Flight port. A caller that finds no room waits in
 * one of two lines, for small replies and for large ones, each in order of arrival. Thread-safe.
 *
 * <p>Invariant: large replies leave an eighth of the budget to small ones, so that clients that do
 * not receive large replies do not stop small ones. Invariant: while a large reply waits, small
 * ones have no more than that eighth, so that they do not keep it waiting for ever.
 */
public final class ReplyBudget {
    /** The room that any lookup requests at first, with the head of a reply for the most keys. */
    public static final int SMALL_BYTES = 512 << 10;

    private static final int RESERVED_SHARE = 8;
    private static final int FIRST_SHARE = 4;

    private final long maxBytes;
    private final long reservedBytes;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Deque<Waiter> smallLine = new ArrayDeque<>();

    @GuardedBy("lock")
    private final Deque<Waiter> largeLine = new ArrayDeque<>();

    @GuardedBy("lock")
    private long smallBytes;

    @GuardedBy("lock")
    private long largeBytes;

    public ReplyBudget(long maxBytes) {
        this.maxBytes = maxBytes;
        this.reservedBytes = maxBytes / RESERVED_SHARE;
    }

    /** Takes room if there is some now and nobody of the same line waits for it. */
    public Optional<Room> tryTake(int sizeBytes) {
        lock.lock();
        try {
            Room room = new Room(clamped(sizeBytes));
            if (!line(room).isEmpty() || !fits(room)) {
                return Optional.empty();
            }
            add(room);
            return Optional.of(room);
        } finally {
            lock.unlock();
        }
    }

    /** Waits for room, and takes it; not interruptible. */
    public Room take(int sizeBytes) {
        lock.lock();
        try {
            Room room = new Room(clamped(sizeBytes));
            Waiter waiter = new Waiter(room, lock.newCondition());
            line(room).add(waiter);
            serveLines();
            while (!room.isTaken) {
                waiter.served.awaitUninterruptibly();
            }
            return room;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The most bytes that a caller should take before it knows its need, so that others find room.
     */
    public int firstBytes() {
        return (int) Math.min(maxBytes / FIRST_SHARE, Integer.MAX_VALUE);
    }

    /** The number of callers that wait for room. */
    public int waitingCount() {
        lock.lock();
        try {
            return smallLine.size() + largeLine.size();
        } finally {
            lock.unlock();
        }
    }

    /** The number of bytes taken. */
    public long usedBytes() {
        lock.lock();
        try {
            return smallBytes + largeBytes;
        } finally {
            lock.unlock();
        }
    }

    // A reply above the limit of all large ones gets exactly this limit, and is alone
    private long clamped(int sizeBytes) {
        return Math.min(sizeBytes, maxBytes - reservedBytes);
    }

    @GuardedBy("lock")
    private Deque<Waiter> line(Room room) {
        return room.isLarge ? largeLine : smallLine;
    }

    @GuardedBy("lock")
    private boolean fits(Room room) {
        if (smallBytes + largeBytes + room.bytes > maxBytes) {
            return false;
        }
        return room.isLarge
                ? largeBytes + room.bytes <= maxBytes - reservedBytes
                : largeLine.isEmpty() || smallBytes + room.bytes <= reservedBytes;
    }

    @GuardedBy("lock")
    private void add(Room room) {
        room.isTaken = true;
        count(room, room.bytes);
    }

    @GuardedBy("lock")
    private void count(Room room, long change) {
        if (room.isLarge) {
            largeBytes += change;
        } else {
            smallBytes += change;
        }
    }

    @GuardedBy("lock")
    private void serveLines() {
        serve(largeLine);
        serve(smallLine);
    }

    @GuardedBy("lock")
    private void serve(Deque<Waiter> line) {
        while (!line.isEmpty() && fits(line.peek().room)) {
            Waiter next = line.remove();
            add(next.room);
            next.served.signal();
        }
    }

    private record Waiter(Room room, Condition served) {}

    /** The room of one reply. Thread-safe. */
    public final class Room implements AutoCloseable {
        // Guarded by the budget's lock
        private boolean isLarge;
        private boolean isTaken;
        private long bytes;

        private Room(long bytes) {
            this.bytes = bytes;
            this.isLarge = bytes > SMALL_BYTES;
        }

        /**
         * Enlarges it if there is room now and no caller waits that is to be served first.
         *
         * @param sizeBytes the new size in total
         */
        public boolean tryGrow(int sizeBytes) {
            lock.lock();
            try {
                Room grown = new Room(clamped(sizeBytes));
                if (grown.bytes <= bytes) {
                    return true;
                }
                count(this, -bytes);
                boolean isFitting = line(grown).isEmpty() && fits(grown);
                if (isFitting) {
                    isLarge = grown.isLarge;
                    bytes = grown.bytes;
                }
                count(this, bytes);
                return isFitting;
            } finally {
                lock.unlock();
            }
        }

        /**
         * Whether nobody has to wait for it, however long it is held: it is small, and all small
         * replies have at most half of the bytes that are reserved for them.
         */
        public boolean mayStay() {
            lock.lock();
            try {
                return !isLarge && smallBytes <= reservedBytes / 2;
            } finally {
                lock.unlock();
            }
        }

        /** Returns the bytes beyond a size; a reply that is then small counts as small. */
        public void shrink(int sizeBytes) {
            lock.lock();
            try {
                count(this, -bytes);
                bytes = Math.min(sizeBytes, bytes);
                isLarge &= bytes > SMALL_BYTES;
                count(this, bytes);
                serveLines();
            } finally {
                lock.unlock();
            }
        }

        /** Returns all of it; a second call does nothing. */
        @Override
        public void close() {
            shrink(0);
        }
    }
}
