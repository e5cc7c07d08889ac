package io.stele.engine.scan;

import static java.util.Objects.requireNonNull;

import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.TableVersions;
import io.stele.engine.scan.ShardScanner.Opener;
import io.stele.protocol.predicate.RowMatcher;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row cursor of a scan over several sources, one after the other, that leaves out the rows that
 * the predicate excludes. Confined to one thread at a time.
 */
final class FilteringCursor implements RowCursor {
    private final ArrayDeque<Opener> openers; // not opened yet
    private final BinaryRow row;
    private final RowMatcher matcher;
    private final TableSchema schema;
    private final boolean hasRowIds;
    private @Nullable ScanSource source;

    FilteringCursor(List<Opener> openers, TableVersions versions, ScanPredicate predicate) {
        this.openers = new ArrayDeque<>(openers);
        this.row = new BinaryRow(versions.layout());
        this.matcher = predicate.matcher(versions.layout());
        this.schema = versions.schema();
        this.hasRowIds = !schema.hasPrimaryKey();
    }

    @Override
    public Step step() throws IOException {
        ScanSource current = source;
        if (current == null) {
            Opener next = openers.peek();
            if (next == null) {
                return Step.END;
            }
            source = next.open();
            openers.remove(); // only now, since a call that must not wait is repeated
            return Step.NONE;
        }
        return switch (current.step()) {
            case ROW -> {
                KeyedVersion version = current.version();
                row.wrap(version.rowArray(), version.rowOffset(), version.rowLength());
                yield matcher.matches(row) ? Step.ROW : Step.NONE;
            }
            case NONE -> Step.NONE;
            case END -> {
                source = null;
                current.close();
                yield Step.NONE;
            }
        };
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
        return version().lsn();
    }

    @Override
    public long rowId() {
        KeyedVersion version = version();
        return hasRowIds
                ? KeyEncoder.rowId(version.keyArray(), version.keyOffset(), version.keyLength())
                : -1;
    }

    @Override
    public void close() throws IOException {
        ScanSource current = source;
        if (current != null) {
            source = null;
            current.close();
        }
    }

    private KeyedVersion version() {
        return requireNonNull(source, "no row").version();
    }
}
