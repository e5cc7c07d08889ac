package io.stele.flink.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.schema.ViewSchema;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogView;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogView;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.catalog.exceptions.CatalogException;
import org.junit.jupiter.api.Test;

/** What is in the catalogs of users must be read for ever. */
final class TestViewDocument {
    private static final String VIEW =
            "{\"dialect\":\"flink\",\"originalSql\":\"SELECT id FROM t\",\"expandedSql\":\"SELECT `id` FROM `s`.`shop`.`t`\",\"columns\":[{\"name\":\"id\",\"type\":\"BIGINT NOT NULL\",\"comment\":\"c\"},{\"name\":\"r\",\"type\":\"ROW<`a` ARRAY<DECIMAL(12, 2)>>\",\"comment\":null}],\"comment\":\"of the view\",\"options\":{\"k\":\"v\",\"l\":\"w\"}}";

    private static ViewSchema stored(String definition) {
        return new ViewSchema("shop", "v", 1, definition, Optional.empty(), Optional.empty());
    }

    @Test
    void viewsAreWrittenAndReadBack() {
        CatalogView view =
                CatalogView.of(
                        Schema.derived(),
                        "of the view",
                        "SELECT id FROM t",
                        "SELECT `id` FROM `s`.`shop`.`t`",
                        Map.of("l", "w", "k", "v"));
        ResolvedSchema columns =
                ResolvedSchema.of(
                        Column.physical("id", DataTypes.BIGINT().notNull()).withComment("c"),
                        Column.physical(
                                "r",
                                DataTypes.ROW(
                                        DataTypes.FIELD(
                                                "a", DataTypes.ARRAY(DataTypes.DECIMAL(12, 2))))));
        assertThat(
                        ViewDocument.of(
                                        new ObjectPath("shop", "v"),
                                        new ResolvedCatalogView(view, columns))
                                .text())
                .isEqualTo(VIEW);
        CatalogView read = ViewDocument.of(stored(VIEW)).toFlink();
        assertThat(read.getOriginalQuery()).isEqualTo(view.getOriginalQuery());
        assertThat(read.getExpandedQuery()).isEqualTo(view.getExpandedQuery());
        assertThat(read.getComment()).isEqualTo("of the view");
        assertThat(read.getOptions()).isEqualTo(view.getOptions());
        assertThat(read.getUnresolvedSchema().getColumns())
                .extracting(Schema.UnresolvedColumn::getName)
                .containsExactly("id", "r");
    }

    @Test
    void viewsOfOtherSystemsAndDamagedOnesAreRefused() {
        for (String definition :
                List.of("{\"originalSql\":\"SELECT 1\"}", "{\"dialect\":null,\"columns\":[]}")) {
            assertThatThrownBy(() -> ViewDocument.of(stored(definition)))
                    .isInstanceOf(CatalogException.class)
                    .hasMessage(
                            "Expected a view of Flink, found view shop.v of trino, which only trino can read or change");
        }
        for (String definition : List.of("no JSON", "{\"dialect\":\"flink\"}", "null")) {
            assertThatThrownBy(() -> ViewDocument.of(stored(definition)))
                    .isInstanceOf(CatalogException.class)
                    .hasMessageContaining("Expected the definition of view shop.v");
        }
    }
}
