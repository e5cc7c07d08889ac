package io.stele.paimon.write;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.PositionOutputStream;
import org.apache.paimon.fs.local.LocalFileIO;

/**
 * Local files whose creations fail as those of a store do: before the file is there, or after it is
 * there and the answer is lost. Safe for many threads.
 */
final class FaultyLakeFiles extends LocalFileIO {
    private static final long serialVersionUID = 1L;

    /** When a creation fails. */
    enum Fault {
        BEFORE,
        AFTER,
        /** The file is there when it is told to arrive. */
        LATE,
        REFUSED
    }

    private final transient AtomicInteger left = new AtomicInteger();
    private final transient Queue<Runnable> sent = new ConcurrentLinkedQueue<>();
    private volatile String part = "";
    private volatile Fault fault = Fault.BEFORE;
    private volatile Runnable meanwhile = () -> {};

    /** The next creations of files with such names fail. */
    void fail(String namePart, Fault how, int times) {
        part = namePart;
        fault = how;
        left.set(times);
    }

    /** Something happens each time when a snapshot is about to be created, until it is told off. */
    void beforeSnapshots(Runnable task) {
        meanwhile = task;
    }

    /** What was sent with {@link Fault#LATE} is there from now on. */
    void arrive() {
        for (Runnable task = sent.poll(); task != null; task = sent.poll()) {
            task.run();
        }
    }

    private void create(Path path, String content) {
        try {
            super.tryToWriteAtomic(path, content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int faultsLeft() {
        return left.get();
    }

    private boolean fails(Path path) {
        return path.getName().contains(part) && left.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
    }

    @Override
    public boolean tryToWriteAtomic(Path path, String content) throws IOException {
        Runnable task = meanwhile;
        meanwhile = () -> {};
        task.run();
        boolean fails = fails(path);
        if (fails && fault == Fault.REFUSED) {
            throw new AccessDeniedException(path.getName());
        }
        if (fails && fault == Fault.LATE) {
            sent.add(() -> create(path, content));
        }
        if (fails && fault != Fault.AFTER) {
            throw new IOException("before " + path.getName());
        }
        boolean created = super.tryToWriteAtomic(path, content);
        if (fails) {
            throw new IOException("after " + path.getName());
        }
        return created;
    }

    @Override
    public PositionOutputStream newOutputStream(Path path, boolean overwrite) throws IOException {
        if (!path.getName().startsWith(".") && fails(path)) {
            throw new IOException("before " + path.getName());
        }
        return super.newOutputStream(path, overwrite);
    }

    @Override
    public boolean isObjectStore() {
        return false;
    }
}
