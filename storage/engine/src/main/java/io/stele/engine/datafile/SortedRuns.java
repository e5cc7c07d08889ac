package io.stele.engine.datafile;

import io.stele.engine.row.KeyedVersion;
import io.stele.objectstore.SequentialReads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;

/**
 * A division of SST files into runs: files whose ranges of keys follow each other, which a merge
 * reads one after the other. So a merge of a bulk load's thousand files, or of a whole level, has
 * one file of each run open.
 */
public final class SortedRuns {
    private SortedRuns() {}

    /** An opener of a file's versions. */
    @FunctionalInterface
    public interface Opener<T> {
        /**
         * @param reads of this file, until the next one is opened
         */
        Iterator<KeyedVersion> open(T file, SequentialReads reads) throws IOException;
    }

    /** The runs, by least key; those whose files come first in the list come first. */
    public static List<List<SstFile>> of(List<SstFile> files) {
        return of(files, SortedRuns::minKey, SortedRuns::maxKey);
    }

    private static byte[] minKey(SstFile file) {
        return file.entry().minKey().orElseThrow();
    }

    private static byte[] maxKey(SstFile file) {
        return file.entry().maxKey().orElseThrow();
    }

    /** The same of other files. */
    public static <T> List<List<T>> of(
            List<T> files, Function<T, byte[]> minKey, Function<T, byte[]> maxKey) {
        List<T> byLeastKey = new ArrayList<>(files);
        byLeastKey.sort(Comparator.comparing(minKey, Arrays::compareUnsigned));
        List<List<T>> runs = new ArrayList<>();
        for (T file : byLeastKey) {
            List<T> fitting = null;
            for (List<T> run : runs) {
                byte[] greatest = maxKey.apply(run.getLast());
                if (Arrays.compareUnsigned(greatest, minKey.apply(file)) < 0) {
                    fitting = run;
                    break;
                }
            }
            if (fitting == null) {
                fitting = new ArrayList<>();
                runs.add(fitting);
            }
            fitting.add(file);
        }
        return runs;
    }

    /**
     * The versions of a run, by key ascending. The read-ahead of one file is freed before the next
     * one is opened, so that a run of many files needs no more memory than one. Confined to one
     * thread.
     *
     * @param reads of the merge, which its caller closes
     * @throws UncheckedIOException of the iterator, when a file cannot be read
     */
    public static <T> Iterator<KeyedVersion> versions(
            List<T> run, SequentialReads reads, Opener<T> opener) {
        return new RunVersions<>(run, reads.part(), opener);
    }

    private static final class RunVersions<T> implements Iterator<KeyedVersion> {
        private final Deque<T> left;
        private final SequentialReads reads;
        private final Opener<T> opener;
        private Iterator<KeyedVersion> open = Collections.emptyIterator();

        private RunVersions(List<T> run, SequentialReads reads, Opener<T> opener) {
            this.left = new ArrayDeque<>(run);
            this.reads = reads;
            this.opener = opener;
        }

        @Override
        public boolean hasNext() {
            while (!open.hasNext() && !left.isEmpty()) {
                reads.forget();
                try {
                    open = opener.open(left.element(), reads);
                } catch (IOException failed) {
                    throw new UncheckedIOException(failed);
                }
                left.remove();
            }
            return open.hasNext();
        }

        @Override
        public KeyedVersion next() {
            if (!hasNext()) {
                throw new NoSuchElementException("No version left");
            }
            return open.next();
        }
    }
}
