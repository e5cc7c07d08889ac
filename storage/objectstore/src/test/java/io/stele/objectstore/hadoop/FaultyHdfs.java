package io.stele.objectstore.hadoop;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * Hadoop's client of HDFS, whose renames fail as over a network: before or after they took effect,
 * or such that they take effect later. Hadoop makes the instances, so faults are for all.
 */
public final class FaultyHdfs extends DistributedFileSystem {
    private static final ConcurrentLinkedQueue<Fault> FAULTS = new ConcurrentLinkedQueue<>();
    private static final List<Late> LATE = new ArrayList<>();

    /** What becomes of a rename. */
    enum Fault {
        NONE,
        FAILS,
        ANSWER_LOST,
        LATE
    }

    private record Late(FaultyHdfs files, Path from, Path to, Options.Rename mode) {}

    /** Of the next renames; those after them succeed. */
    static void inject(Fault... faults) {
        FAULTS.clear();
        FAULTS.addAll(List.of(faults));
    }

    /** Lets renames take effect that were late; those that come to nothing are nobody's concern. */
    static void arrive() {
        for (Late late : LATE) {
            try {
                late.files.renameNow(late.from, late.to, late.mode);
            } catch (IOException refused) {
                // nobody waits for the answer
            }
        }
        LATE.clear();
    }

    @Override
    public void rename(Path from, Path to, Options.Rename... options) throws IOException {
        Fault fault = FAULTS.isEmpty() ? Fault.NONE : FAULTS.remove();
        switch (fault) {
            case NONE -> super.rename(from, to, options);
            case FAILS -> throw new IOException("Injected: connection reset");
            case ANSWER_LOST -> {
                super.rename(from, to, options);
                throw new IOException("Injected: answer lost");
            }
            case LATE -> {
                LATE.add(new Late(this, from, to, options[0]));
                throw new IOException("Injected: timed out");
            }
        }
    }

    private void renameNow(Path from, Path to, Options.Rename mode) throws IOException {
        super.rename(from, to, mode);
    }
}
