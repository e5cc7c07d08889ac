package io.stele.connector.metadata.catalog;

import io.stele.protocol.schema.ColumnChange;
import io.trino.spi.connector.ColumnPosition;
import java.util.Optional;

/**
 * A translation of Trino's positions in ADD COLUMN (FIRST, AFTER, LAST) into those of a column
 * change. Pure.
 */
public final class ColumnPositions {
    private ColumnPositions() {}

    public static ColumnChange at(ColumnPosition position, ColumnChange added) {
        return switch (position) {
            case ColumnPosition.First _ -> added.at(ColumnChange.Position.FIRST);
            case ColumnPosition.After after ->
                    added.at(new ColumnChange.Position(Optional.of(after.columnName())));
            case ColumnPosition.Last _ -> added;
        };
    }
}
