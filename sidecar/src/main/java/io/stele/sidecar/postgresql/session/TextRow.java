package io.stele.sidecar.postgresql.session;

import io.stele.sidecar.postgresql.catalog.CatalogColumn;
import io.stele.sidecar.postgresql.type.BinaryFormat;
import io.stele.sidecar.postgresql.type.PostgresType;
import io.stele.sidecar.postgresql.type.TextFormat;
import io.stele.sidecar.postgresql.wire.MessageWriter;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.io.IOException;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;

/**
 * A writer of DataRow messages from values in text format, converted to binary where the client
 * wants it. Stateless.
 */
final class TextRow {
    private TextRow() {}

    /**
     * Writes a row.
     *
     * @param row values in PostgreSQL's text format; empty: NULL
     * @param formats that the client wants
     */
    static void write(
            List<CatalogColumn> columns,
            List<Optional<String>> row,
            List<Integer> formats,
            MessageWriter out)
            throws IOException {
        out.begin('D').putShort(row.size());
        for (int i = 0; i < row.size(); i++) {
            if (row.get(i).isEmpty()) {
                out.putNull();
            } else if (Formats.of(formats, i) == Formats.BINARY) {
                int start = out.beginValue();
                writeBinary(columns.get(i), row.get(i).get(), out);
                out.endValue(start);
            } else {
                out.putValue(row.get(i).get());
            }
        }
        out.end();
    }

    private static void writeBinary(CatalogColumn column, String text, MessageWriter out) {
        Optional<PostgresType> type = PostgresType.ofOid(column.typeOid());
        Optional<PostgresType> element = PostgresType.ofArrayOid(column.typeOid());
        if (type.isPresent()) {
            BinaryFormat.write(type.get(), TextFormat.read(type.get(), text, ZoneOffset.UTC), out);
        } else if (element.isPresent()) {
            BinaryFormat.writeArray(
                    element.get(), TextFormat.readArray(element.get(), text, ZoneOffset.UTC), out);
        } else {
            throw new PostgresException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "Expected column '%s' to be asked for as text, found binary"
                            .formatted(column.name()));
        }
    }
}
