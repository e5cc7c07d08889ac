package io.stele.sidecar.postgresql.session;

import io.stele.sidecar.postgresql.catalog.CatalogColumn;
import io.stele.sidecar.postgresql.catalog.CatalogResult;
import io.stele.sidecar.postgresql.run.ResultRows;
import io.stele.sidecar.postgresql.wire.MessageWriter;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * The rows of a catalog query's result, written as DataRow messages in the formats that a
 * PostgreSQL client wants.
 */
final class CatalogRows implements ResultRows {
    private final List<CatalogColumn> columns;
    private final Iterator<List<Optional<String>>> rows;
    private final List<Integer> formats;

    CatalogRows(CatalogResult result, List<Integer> formats) {
        this.columns = result.columns();
        this.rows = result.rows().iterator();
        this.formats = formats;
    }

    @Override
    public boolean writeNext(MessageWriter out) throws IOException {
        if (!rows.hasNext()) {
            return false;
        }
        TextRow.write(columns, rows.next(), formats, out);
        return true;
    }

    @Override
    public void close() {}
}
