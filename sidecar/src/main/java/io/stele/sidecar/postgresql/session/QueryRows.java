package io.stele.sidecar.postgresql.session;

import io.stele.sidecar.postgresql.catalog.CatalogColumn;
import io.stele.sidecar.postgresql.run.ResultRows;
import io.stele.sidecar.postgresql.trino.TrinoRows;
import io.stele.sidecar.postgresql.wire.MessageWriter;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The rows of a query that Trino runs, written as DataRow messages in the formats that a PostgreSQL
 * client wants.
 */
final class QueryRows implements ResultRows {
    private final TrinoRows query;
    private final List<Integer> formats;
    private final Optional<List<CatalogColumn>> described;

    /**
     * @param described the columns that were sent to the client before; empty: the columns of the
     *     query will be sent
     */
    QueryRows(TrinoRows query, List<Integer> formats, Optional<List<CatalogColumn>> described) {
        this.query = query;
        this.formats = formats;
        this.described = described;
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

    /**
     * Checks that the number of columns, and the types of columns in binary format, are still as
     * described, because the client decodes values as these types.
     *
     * @throws PostgresException FEATURE_NOT_SUPPORTED if the columns have changed
     */
    void checkAsDescribed() {
        if (described.isEmpty()) {
            return;
        }
        List<CatalogColumn> told = described.get();
        List<CatalogColumn> found = query.columns();
        boolean isSame = told.size() == found.size();
        for (int i = 0; isSame && i < told.size(); i++) {
            isSame =
                    told.get(i).typeOid() == found.get(i).typeOid()
                            || Formats.of(formats, i) != Formats.BINARY;
        }
        if (!isSame) {
            throw PreparedStatement.otherColumns("");
        }
    }

    @Override
    public void close() {
        query.close();
    }
}
