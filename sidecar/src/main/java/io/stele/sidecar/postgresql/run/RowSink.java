package io.stele.sidecar.postgresql.run;

import io.stele.protocol.row.BinaryRow;
import java.io.IOException;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A receiver of the rows of a result, in the form of one protocol. It takes the columns of a table
 * from the table's own row, without objects in between. Confined to one thread at a time.
 */
public interface RowSink {
    /**
     * Receives a row of a table.
     *
     * @param row valid until this returns
     * @param values of the results by their position, of the classes of their types; null: NULL.
     *     Results that are columns of the table may be taken from the row instead
     */
    void row(BinaryRow row, IntFunction<@Nullable Object> values) throws IOException;

    /** Receives a row that is no single row of a table: values of the results' types. */
    void values(List<? extends @Nullable Object> values) throws IOException;
}
