package io.stele.engine;

import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.ForwardingObjectWriter;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ObjectWriter;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * A store in which data objects of a kind are published only when enough of them are about to be.
 */
final class MeetingStore extends ForwardingObjectStore {
    private final Meeting meeting;

    MeetingStore(ObjectStore store, Meeting meeting) {
        super(store);
        this.meeting = meeting;
    }

    @Override
    public void put(String path, byte[] content) throws IOException {
        try (Meeting.Place place = meeting.enter(path)) {
            super.put(path, content);
        }
    }

    @Override
    public ObjectWriter create(String path) throws IOException {
        return new ForwardingObjectWriter(super.create(path)) {
            @Override
            public void commit() throws IOException {
                try (Meeting.Place place = meeting.enter(path)) {
                    super.commit();
                }
            }
        };
    }

    /** Who is publishing at the same time. Guarded by its own lock. */
    static final class Meeting {
        private static final long GIVE_UP_NANOS = TimeUnit.SECONDS.toNanos(120);

        private final String suffix;
        private final int wanted;
        private boolean began;
        private int inFlight;
        private int most;

        Meeting(String suffix, int wanted) {
            this.suffix = suffix;
            this.wanted = wanted;
        }

        synchronized void begin() {
            began = true;
        }

        /** The most that were under way at a time. */
        synchronized int most() {
            return most;
        }

        private synchronized Place enter(String path) throws IOException {
            if (!began || !path.startsWith("data/") || !path.endsWith(suffix)) {
                return () -> {};
            }
            inFlight++;
            most = Math.max(most, inFlight);
            notifyAll();
            long end = System.nanoTime() + GIVE_UP_NANOS;
            while (most < wanted) {
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0) {
                    throw new IOException(
                            "Expected %d in flight, found %d".formatted(wanted, most));
                }
                try {
                    wait(left);
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            }
            return this::leave;
        }

        private synchronized void leave() {
            inFlight--;
        }

        private interface Place extends AutoCloseable {
            @Override
            void close();
        }
    }
}
