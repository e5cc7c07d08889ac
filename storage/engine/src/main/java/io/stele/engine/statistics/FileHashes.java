package io.stele.engine.statistics;

import io.stele.engine.manifest.FileEntry;
import io.stele.engine.tablet.TableView;
import io.stele.protocol.schema.XxHash64;
import java.util.List;

/** Hashes of files by their ids, by which lists of files are compared. Stateless. */
final class FileHashes {
    private static final long ORDER = 0x9e3779b97f4a7c15L; // odd: no bit is lost

    private FileHashes() {}

    /** The hash of each column file, in the order of the views. Looks at each file. */
    static long[] ofColumnFiles(List<TableView> views) {
        return views.stream()
                .flatMap(view -> view.columnFiles().stream())
                .mapToLong(file -> of(file.entry()))
                .toArray();
    }

    static long of(FileEntry file) {
        return XxHash64.hash(file.fileId());
    }

    /** The hash of a sequence and the value after it. */
    static long next(long sequence, long value) {
        return sequence * ORDER + value;
    }
}
