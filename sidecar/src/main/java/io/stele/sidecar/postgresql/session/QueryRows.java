package io.stele.sidecar.postgresql.session;

import io.stele.sidecar.postgresql.run.ResultRows;
import io.stele.sidecar.postgresql.trino.TrinoRows;
import io.stele.sidecar.postgresql.wire.MessageWriter;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The rows of a query that Trino runs, as the formats that a client wants. */
final class QueryRows implements ResultRows {
    private final TrinoRows query;
    private final List<Integer> formats;

    QueryRows(TrinoRows query, List<Integer> formats) {
        this.query = query;
        this.formats = formats;
    }

    TrinoRows query() {
        return query;
    }

    @Override
    public boolean writeNext(MessageWriter out) throws IOException {
        Optional<List<Optional<String>>> row = query.next();
        if (row.isEmpty()) {
            return false;
        }
        TextRow.write(query.columns(), row.get(), formats, out);
        return true;
    }

    @Override
    public void close() {
        query.close();
    }
}
