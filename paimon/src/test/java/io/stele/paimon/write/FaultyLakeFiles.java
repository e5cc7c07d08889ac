package io.stele.paimon.write;

import java.io.IOException;
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
        AFTER
    }

    private final transient AtomicInteger left = new AtomicInteger();
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
        if (fails && fault == Fault.BEFORE) {
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
