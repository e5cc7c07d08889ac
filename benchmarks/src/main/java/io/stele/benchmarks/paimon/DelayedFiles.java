package io.stele.benchmarks.paimon;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.paimon.fs.FileStatus;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.SeekableInputStream;
import org.apache.paimon.fs.local.LocalFileIO;

/**
 * A file system for Paimon's library over a local folder, which counts and delays requests as a
 * remote store would have them. Requests are a look at a file or folder, the begin of a read, and
 * each seek but a short seek forward. Thread-safe.
 */
final class DelayedFiles extends LocalFileIO {
    private static final long serialVersionUID = 1L;

    /** Nearer bytes come sooner by reading what is between, which clients of stores do. */
    private static final int SKIPPED_BYTES = 128 << 10;

    private final LongAdder requests = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private volatile long delayMillis;

    /** The time of each request from now on. */
    void delay(long millis) {
        delayMillis = millis;
    }

    void reset() {
        requests.reset();
        bytes.reset();
    }

    long requests() {
        return requests.sum();
    }

    long bytes() {
        return bytes.sum();
    }

    private void request() throws IOException {
        requests.increment();
        if (delayMillis > 0) {
            try {
                TimeUnit.MILLISECONDS.sleep(delayMillis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("Interrupted while waiting for a request");
            }
        }
    }

    @Override
    public SeekableInputStream newInputStream(Path path) throws IOException {
        return new DelayedStream(super.newInputStream(path));
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        request();
        return super.getFileStatus(path);
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
        request();
        return super.listStatus(path);
    }

    @Override
    public boolean exists(Path path) throws IOException {
        request();
        return super.exists(path);
    }

    /** Confined to one thread. */
    private final class DelayedStream extends SeekableInputStream {
        private final SeekableInputStream in;
        private long next = -1; // where the request in progress goes on; negative: there is none

        DelayedStream(SeekableInputStream in) {
            this.in = requireNonNull(in, "in is null");
        }

        @Override
        public void seek(long position) throws IOException {
            in.seek(position);
        }

        @Override
        public long getPos() throws IOException {
            return in.getPos();
        }

        @Override
        public int read() throws IOException {
            begin();
            int value = in.read();
            count(value < 0 ? 0 : 1);
            return value;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            begin();
            int count = in.read(buffer, offset, length);
            count(Math.max(0, count));
            return count;
        }

        private void begin() throws IOException {
            long skipped = in.getPos() - next;
            if (next < 0 || skipped < 0 || skipped > SKIPPED_BYTES) {
                request();
            } else {
                bytes.add(skipped);
            }
        }

        private void count(int read) throws IOException {
            bytes.add(read);
            next = in.getPos();
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
