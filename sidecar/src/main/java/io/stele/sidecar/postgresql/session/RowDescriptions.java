package io.stele.sidecar.postgresql.session;

import io.stele.sidecar.postgresql.catalog.CatalogColumn;
import io.stele.sidecar.postgresql.plan.FixedPlan.ResultColumn;
import io.stele.sidecar.postgresql.type.PostgresType;
import io.stele.sidecar.postgresql.wire.MessageWriter;
import java.io.IOException;
import java.util.List;

/**
 * A writer of RowDescription messages, for results of fixed plans and of catalog or Trino queries.
 * Stateless.
 */
final class RowDescriptions {
    private static final int VARIABLE = -1;

    private RowDescriptions() {}

    static void ofPlan(List<ResultColumn> columns, List<Integer> formats, MessageWriter out)
            throws IOException {
        out.begin('T').putShort(columns.size());
        for (int i = 0; i < columns.size(); i++) {
            ResultColumn column = columns.get(i);
            // A column number would also need the table's OID, so both are 0
            out.putText(column.name())
                    .putInt(0)
                    .putShort(0)
                    .putInt(column.type().oid())
                    .putShort(column.type().sizeBytes())
                    .putInt(column.modifier())
                    .putShort(Formats.of(formats, i));
        }
        out.end();
    }

    static void ofCatalog(List<CatalogColumn> columns, List<Integer> formats, MessageWriter out)
            throws IOException {
        out.begin('T').putShort(columns.size());
        for (int i = 0; i < columns.size(); i++) {
            int oid = columns.get(i).typeOid();
            out.putText(columns.get(i).name())
                    .putInt(0)
                    .putShort(0)
                    .putInt(oid)
                    .putShort(PostgresType.ofOid(oid).map(PostgresType::sizeBytes).orElse(VARIABLE))
                    .putInt(VARIABLE)
                    .putShort(Formats.of(formats, i));
        }
        out.end();
    }
}
