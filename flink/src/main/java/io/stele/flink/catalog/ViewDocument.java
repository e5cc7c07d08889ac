package io.stele.flink.catalog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.stele.protocol.SteleException;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.catalog.ViewDialect;
import io.stele.protocol.schema.ViewSchema;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.TableException;
import org.apache.flink.table.catalog.CatalogView;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogView;
import org.apache.flink.table.catalog.exceptions.CatalogException;

/**
 * The JSON definition of a view of Flink, as stored in the sidecar's catalog. Unknown fields are of
 * a newer version and are ignored; docs/format.md describes the fields.
 *
 * @param dialect {@value #FLINK}; Trino's definitions have no such field
 * @param expandedSql the query with full names, which Flink runs
 */
record ViewDocument(
        String dialect,
        String originalSql,
        String expandedSql,
        List<Field> columns,
        Optional<String> comment,
        Map<String, String> options) {
    private static final String FLINK = "flink";

    ViewDocument {
        requireNonNull(dialect, "dialect is null");
        requireNonNull(originalSql, "originalSql is null");
        requireNonNull(expandedSql, "expandedSql is null");
        columns = List.copyOf(columns);
        requireNonNull(comment, "comment is null");
        options = Collections.unmodifiableMap(new TreeMap<>(options)); // in one order
    }

    /**
     * A column of the view.
     *
     * @param type in Flink's syntax
     */
    record Field(String name, String type, Optional<String> comment) {}

    /** The definition of a new view. */
    static ViewDocument of(ObjectPath path, ResolvedCatalogView view) {
        return new ViewDocument(
                FLINK,
                view.getOriginalQuery(),
                view.getExpandedQuery(),
                view.getResolvedSchema().getColumns().stream()
                        .map(column -> field(path, column))
                        .toList(),
                Optional.ofNullable(view.getComment()).filter(text -> !text.isEmpty()),
                view.getOptions());
    }

    private static Field field(ObjectPath path, Column column) {
        try {
            return new Field(
                    column.getName(),
                    column.getDataType().getLogicalType().asSerializableString(),
                    column.getComment());
        } catch (TableException e) {
            throw new CatalogException(
                    "Expected a type with a text for column '%s' of view %s, found %s"
                            .formatted(column.getName(), path, column.getDataType()),
                    e);
        }
    }

    /**
     * The definition of a stored view.
     *
     * @throws CatalogException it is a view of another system, or its definition is damaged
     */
    static ViewDocument of(ViewSchema view) {
        String dialect = read(view, ViewDialect.class).dialect().orElse("trino");
        if (!dialect.equals(FLINK)) {
            throw new CatalogException(
                    "Expected a view of Flink, found %s %s of %s, which only %s can read or change"
                            .formatted(
                                    view.isMaterialized() ? "materialized view" : "view",
                                    view.qualifiedName(),
                                    dialect,
                                    dialect));
        }
        return read(view, ViewDocument.class);
    }

    private static <T> T read(ViewSchema view, Class<T> type) {
        try {
            return ApiJson.read(view.definition().getBytes(UTF_8), type);
        } catch (SteleException e) {
            throw new CatalogException(
                    "Expected the definition of view %s as Flink or Trino write it, found: %s"
                            .formatted(view.qualifiedName(), e.getMessage()),
                    e);
        }
    }

    String text() {
        return new String(ApiJson.write(this), UTF_8);
    }

    CatalogView toFlink() {
        Schema.Builder schema = Schema.newBuilder();
        for (Field column : columns) {
            schema.column(column.name(), column.type());
            column.comment().ifPresent(schema::withComment);
        }
        return CatalogView.of(
                schema.build(), comment.orElse(""), originalSql, expandedSql, options);
    }
}
