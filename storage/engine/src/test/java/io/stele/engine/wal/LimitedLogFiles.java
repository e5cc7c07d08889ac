package io.stele.engine.wal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Log files on a disk of limited size whose syncs can be made to fail. A write that does not fit is
 * written as far as it does.
 */
public final class LimitedLogFiles extends ForwardingLogFiles {
    private final AtomicLong freeBytes;
    private final AtomicBoolean failingSync = new AtomicBoolean();

    public LimitedLogFiles(LogFiles files, long freeBytes) {
        super(files);
        this.freeBytes = new AtomicLong(freeBytes);
    }

    /** From now on every sync fails. */
    public void failSyncs() {
        failingSync.set(true);
    }

    @Override
    public Writer create(long segment) throws IOException {
        return new LimitedWriter(super.create(segment));
    }

    private final class LimitedWriter extends ForwardingWriter {
        LimitedWriter(Writer writer) {
            super(writer);
        }

        @Override
        public void append(List<ByteBuffer> buffers) throws IOException {
            List<ByteBuffer> fitting = new ArrayList<>();
            boolean full = false;
            for (ByteBuffer buffer : buffers) {
                int count = (int) Math.min(buffer.remaining(), freeBytes.get());
                fitting.add(buffer.slice(buffer.position(), count));
                freeBytes.addAndGet(-count);
                full |= count < buffer.remaining();
            }
            super.append(fitting);
            if (full) {
                throw new IOException("No space left on device");
            }
        }

        @Override
        public void sync() throws IOException {
            if (failingSync.get()) {
                throw new IOException("Input/output error");
            }
            super.sync();
        }
    }
}
