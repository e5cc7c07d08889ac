package io.stele.engine.scan;

import static java.util.Objects.requireNonNull;

import io.stele.engine.row.TableVersions;
import io.stele.engine.scan.IndexLookup.FoundRow;
import io.stele.protocol.predicate.RowMatcher;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.schema.TableSchema;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row cursor over the rows that a lookup by index found, all in memory. Confined to one thread at
 * a time.
 */
public final class FoundRows implements RowCursor {
    private final Iterator<FoundRow> rows;
    private final BinaryRow row;
    private final RowMatcher matcher;
    private final TableSchema schema;
    private @Nullable FoundRow current;

    /**
     * @param versions the schema version that the rows have
     * @param predicate other rows are left out
     */
    public FoundRows(List<FoundRow> rows, TableVersions versions, ScanPredicate predicate) {
        this.rows = List.copyOf(rows).iterator();
        this.row = new BinaryRow(versions.layout());
        this.matcher = predicate.matcher(versions.layout());
        this.schema = versions.schema();
    }

    @Override
    public Step step() {
        if (!rows.hasNext()) {
            current = null;
            return Step.END;
        }
        FoundRow following = rows.next();
        if (!matcher.matches(row.wrap(following.row()))) {
            return Step.NONE;
        }
        current = following;
        return Step.ROW;
    }

    @Override
    public TableSchema schema() {
        return schema;
    }

    @Override
    public BinaryRow row() {
        return row;
    }

    @Override
    public long lsn() {
        return requireNonNull(current, "no row").lsn();
    }

    @Override
    public long rowId() {
        return -1; // indexes are of tables with a primary key
    }

    @Override
    public void close() {
        // Nothing is held but memory.
    }
}
