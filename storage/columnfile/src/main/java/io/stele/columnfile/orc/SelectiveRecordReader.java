package io.stele.columnfile.orc;

import java.io.IOException;
import org.apache.hadoop.hive.ql.io.sarg.PredicateLeaf;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgument;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgumentFactory;
import org.apache.orc.OrcProto;
import org.apache.orc.Reader;
import org.apache.orc.TypeDescription;
import org.apache.orc.impl.OrcIndex;
import org.apache.orc.impl.ReaderImpl;
import org.apache.orc.impl.RecordReaderImpl;

/**
 * ORC's record reader for chosen row groups of one stripe: the library itself chooses by predicate
 * only. Confined to one thread.
 *
 * <p>The library is given a predicate that is never evaluated: with one it caches the stripe's row
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
        // Before super(), which reads the stripe and calls back.
        this.included = included.clone();
        String column = anyColumn(file, options.getInclude());
        super(file, options.searchArgument(anyPredicate(column), new String[] {column}));
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

    private static SearchArgument anyPredicate(String column) {
        return SearchArgumentFactory.newBuilder().isNull(column, PredicateLeaf.Type.LONG).build();
    }

    /** One that is read, or the library reads the row index at every seek again. */
    private static String anyColumn(ReaderImpl file, boolean[] isIncluded) {
        TypeDescription schema = file.getSchema();
        for (int position = 0; position < schema.getChildren().size(); position++) {
            if (isIncluded[schema.getChildren().get(position).getId()]) {
                return schema.getFieldNames().get(position);
            }
        }
        return schema.getFieldNames().getLast();
    }
}
