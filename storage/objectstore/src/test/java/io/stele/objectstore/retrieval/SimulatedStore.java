package io.stele.objectstore.retrieval;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * A far store in virtual time: 30 ms and 20 ms a MiB, some requests ten times as long, some that
 * fail, at any point. Bytes come in pieces, as they do from a network. Confined to one thread.
 */
final class SimulatedStore implements RangeSource {
    private static final int PIECES = 8;

    private final VirtualTime time;
    private final RandomGenerator random;
    private final Map<String, byte[]> objects = new HashMap<>();
    double baseNanos = 30e6;
    double jitter = 0.2;
    double nanosPerByte = 20e6 / (1 << 20);
    double stragglers;
    double failures;
    int requests;
    int underWay;
    int mostUnderWay;
    long sentBytes;

    SimulatedStore(VirtualTime time, RandomGenerator random) {
        this.time = time;
        this.random = random;
    }

    void put(String object, byte[] content) {
        objects.put(object, content);
    }

    @Override
    public Attempt start(RangeRequest request, Listener listener) {
        requests++;
        underWay++;
        mostUnderWay = Math.max(mostUnderWay, underWay);
        Request started = new Request(request, listener);
        double factor =
                (1 - jitter + 2 * jitter * random.nextDouble())
                        * (random.nextDouble() < stragglers ? 10 : 1);
        started.nanosPerByte = nanosPerByte * factor;
        started.failsAtPiece = random.nextDouble() < failures ? random.nextInt(-1, PIECES) : PIECES;
        time.schedule((long) (baseNanos * factor), started::answer);
        return started;
    }

    private final class Request implements Attempt {
        private final RangeRequest request;
        private final Listener listener;
        private double nanosPerByte;
        private int failsAtPiece;
        private byte[] content = new byte[0];
        private int length;
        private ByteBuffer target = ByteBuffer.allocate(0);
        private int received;
        private int piece;
        private boolean over;

        Request(RangeRequest request, Listener listener) {
            this.request = request;
            this.listener = listener;
        }

        void answer() {
            if (over) {
                return;
            }
            byte[] found = objects.get(request.object());
            if (found == null) {
                fail(new NoSuchFileException(request.object()));
                return;
            }
            content = found;
            long offset = request.range().offset();
            if (failsAtPiece < 0) {
                fail(new TransientReadException("503"));
                return;
            }
            if (offset >= found.length) {
                fail(new BehindEndException("416"));
                return;
            }
            length = (int) Math.min(request.range().length(), found.length - offset);
            if (length < request.range().length() && !request.mayBeShorter()) {
                fail(new EOFException("short"));
                return;
            }
            try {
                target = listener.begins(new ObjectVersion(found.length, "v"), length);
            } catch (IOException e) {
                fail(e);
                return;
            }
            next();
        }

        private void next() {
            int size = Math.ceilDiv(length, PIECES);
            int count = Math.min(size, length - received);
            time.schedule((long) (count * nanosPerByte), () -> bring(count));
        }

        private void bring(int count) {
            if (over) {
                return;
            }
            if (piece++ == failsAtPiece) {
                fail(new TransientReadException("reset"));
                return;
            }
            target.put(content, (int) request.range().offset() + received, count);
            received += count;
            sentBytes += count;
            if (received == length) {
                over = true;
                underWay--;
                listener.completed();
            } else {
                next();
            }
        }

        private void fail(IOException failure) {
            if (!over) {
                over = true;
                underWay--;
                listener.failed(failure);
            }
        }

        /** The listener hears of it a little later, as from another thread. */
        @Override
        public void cancel() {
            time.schedule(50_000, () -> fail(new IOException("cancelled")));
        }

        @Override
        public long receivedBytes() {
            return received;
        }
    }
}
