package io.stele.engine.datafile;

import io.stele.engine.row.ProbeKeys;
import java.io.IOException;
import java.util.List;

/**
 * The rows of column files that write batches make obsolete, found by key and not yet marked in the
 * deletion vectors. Confined to one thread at a time; {@link #mark} runs on the shard's context.
 */
public final class ObsoleteFileRows {
    /** For batches that make no row obsolete. */
    public static final ObsoleteFileRows NONE = new ObsoleteFileRows(List.of(), new long[0]);

    private final List<ObsoleteOrdinals> files;
    private final long[] lsns;

    private ObsoleteFileRows(List<ObsoleteOrdinals> files, long[] lsns) {
        this.files = List.copyOf(files);
        this.lsns = lsns;
    }

    /**
     * Finds the rows of keys; blocks.
     *
     * @param lsns of the keys' batches, ascending
     */
    public static ObsoleteFileRows find(
            KeyIndexSearch search, List<ColumnFile> files, ProbeKeys keys, long[] lsns)
            throws IOException {
        List<ObsoleteOrdinals> obsolete = files.stream().map(ObsoleteOrdinals::new).toList();
        search.find(
                files,
                keys,
                lsns[lsns.length - 1],
                (file, key, ordinal) -> obsolete.get(file).add(keys.batch(key), ordinal));
        return new ObsoleteFileRows(obsolete, lsns);
    }

    /** Marks the rows as obsolete; to be called immediately before the batches are applied. */
    public void mark() {
        files.forEach(rows -> rows.mark(lsns));
    }
}
