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
 * A subclass of ORC's record reader that reads chosen row groups of one stripe, for point reads;
 * the library itself can choose only by predicate. Confined to one thread.
 *
 * <p>The library receives a predicate that is never evaluated. Without a predicate, it would read
 * the stripe's row index again at every seek.
 */
final class SelectiveRecordReader extends RecordReaderImpl {
    private final boolean[] included;

    /**
     * @param options limit the reader to one stripe
     * @param included the row groups of that stripe to read
     */
    SelectiveRecordReader(ReaderImpl file, Reader.Options options, boolean[] included)
            throws IOException {
        // Set before super(), which reads the stripe and calls back.
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

    /**
     * A column that is read; for another one, the library would read the row index again at every
     * seek.
     */
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
