package io.stele.storage.orc;

import java.io.IOException;
import org.apache.hadoop.hive.ql.io.sarg.PredicateLeaf;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgument;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgumentFactory;
import org.apache.orc.OrcProto;
import org.apache.orc.Reader;
import org.apache.orc.impl.OrcIndex;
import org.apache.orc.impl.ReaderImpl;
import org.apache.orc.impl.RecordReaderImpl;

/**
 * ORC's record reader for chosen row groups of one stripe: the library itself chooses by predicate
 * only. Confined to one thread.
 *
 * <p>The library is given a predicate that is never evaluated: with one it keeps the stripe's row
 * index, without one it reads it again at every seek.
 */
final class SelectiveRecordReader extends RecordReaderImpl {
    private final boolean[] included;

    /**
     * @param options limit the reader to one stripe
     * @param included the row groups of that stripe to read
     */
    SelectiveRecordReader(ReaderImpl file, Reader.Options options, boolean[] included)
            throws IOException {
        // Before super(), which reads the stripe and asks.
        this.included = included.clone();
        super(file, options.searchArgument(anyPredicate(file), new String[] {anyColumn(file)}));
    }

    @Override
    protected boolean[] pickRowGroups() throws IOException {
        OrcIndex kept = readRowIndex(0, null, null);
        boolean[] allColumns = new boolean[kept.getRowGroupIndex().length];
        java.util.Arrays.fill(allColumns, true);
        OrcProto.RowIndex[] all = readRowIndex(0, null, allColumns).getRowGroupIndex();
        System.arraycopy(all, 0, kept.getRowGroupIndex(), 0, all.length);
        return included;
    }

    private static SearchArgument anyPredicate(ReaderImpl file) {
        return SearchArgumentFactory.newBuilder()
                .isNull(anyColumn(file), PredicateLeaf.Type.LONG)
                .build();
    }

    private static String anyColumn(ReaderImpl file) {
        return file.getSchema().getFieldNames().getLast();
    }
}
