package io.stele.connector.metadata.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.connector.error.SteleErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.ViewSchema;
import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.CatalogSchemaName;
import io.trino.spi.connector.CatalogSchemaTableName;
import io.trino.spi.connector.ConnectorMaterializedViewDefinition;
import io.trino.spi.connector.ConnectorMaterializedViewDefinition.WhenStaleBehavior;
import io.trino.spi.connector.ConnectorViewDefinition;
import io.trino.spi.connector.ConnectorViewDefinition.ViewColumn;
import io.trino.spi.type.TypeId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is in the catalogs of users must be read for ever. */
final class TestViewDocument {
    private static final String VIEW =
            "{\"originalSql\":\"SELECT 1 a\",\"catalog\":\"stele\",\"schema\":\"s\",\"columns\":[{\"name\":\"a\",\"type\":\"integer\",\"comment\":\"c\"}],\"comment\":\"of the view\",\"owner\":\"me\",\"runAsInvoker\":false,\"path\":[{\"catalog\":\"stele\",\"schema\":\"f\"}],\"gracePeriodMillis\":null,\"whenStale\":null}";
    private static final String MATERIALIZED =
            "{\"originalSql\":\"SELECT 1 a\",\"catalog\":null,\"schema\":null,\"columns\":[{\"name\":\"a\",\"type\":\"integer\",\"comment\":null}],\"comment\":null,\"owner\":\"me\",\"runAsInvoker\":null,\"path\":[],\"gracePeriodMillis\":60000,\"whenStale\":\"FAIL\"}";
    private static final CatalogSchemaTableName STORAGE =
            new CatalogSchemaTableName("stele", "s", "storage$5");

    @Test
    void viewsOfOtherSystemsAreKnown() {
        ViewSchema view = stored("{\"dialect\":\"flink\",\"expandedSql\":\"SELECT 1\"}");
        assertThat(ViewDocument.find(view)).isEmpty();
        assertThat(ViewDocument.find(stored(VIEW))).isPresent();
        assertThatThrownBy(() -> ViewDocument.of(view))
                .isInstanceOfSatisfying(
                        TrinoException.class,
                        refused ->
                                assertThat(refused.getErrorCode())
                                        .isEqualTo(StandardErrorCode.NOT_SUPPORTED.toErrorCode()))
                .hasMessageContaining("of flink, which only flink can read or change");
    }

    @Test
    void viewsAreWrittenAndReadBack() {
        ConnectorViewDefinition view =
                new ConnectorViewDefinition(
                        "SELECT 1 a",
                        Optional.of("stele"),
                        Optional.of("s"),
                        List.of(new ViewColumn("a", TypeId.of("integer"), Optional.of("c"))),
                        Optional.of("of the view"),
                        Optional.of("me"),
                        false,
                        List.of(new CatalogSchemaName("stele", "f")));
        assertThat(ViewDocument.of(view).text()).isEqualTo(VIEW);
        assertThat(ViewDocument.of(stored(VIEW)).toView().toString()).isEqualTo(view.toString());
        ConnectorViewDefinition invoker =
                new ConnectorViewDefinition(
                        "SELECT 1 a",
                        Optional.empty(),
                        Optional.empty(),
                        view.getColumns(),
                        Optional.empty(),
                        Optional.empty(),
                        true,
                        List.of());
        assertThat(
                        ViewDocument.of(stored(ViewDocument.of(invoker).text()))
                                .toView()
                                .isRunAsInvoker())
                .isTrue();
    }

    @Test
    void materializedViewsAreWrittenAndReadBack() {
        ConnectorMaterializedViewDefinition view =
                new ConnectorMaterializedViewDefinition(
                        "SELECT 1 a",
                        Optional.of(STORAGE),
                        Optional.empty(),
                        Optional.empty(),
                        List.of(
                                new ConnectorMaterializedViewDefinition.Column(
                                        "a", TypeId.of("integer"), Optional.empty())),
                        Optional.of(Duration.ofMinutes(1)),
                        Optional.of(WhenStaleBehavior.FAIL),
                        Optional.empty(),
                        Optional.of("me"),
                        List.of());
        assertThat(ViewDocument.of(view).text()).isEqualTo(MATERIALIZED);
        assertThat(ViewDocument.of(stored(MATERIALIZED)).toMaterializedView(STORAGE))
                .isEqualTo(view);
    }

    @Test
    void commentsChangeAndNothingElse() {
        ViewDocument document = ViewDocument.of(stored(VIEW));
        assertThat(document.withComment(Optional.of("of the view"))).isEqualTo(document);
        assertThat(document.withColumnComment("a", Optional.of("c"))).isEqualTo(document);
        assertThat(document.withColumnComment("b", Optional.of("x"))).isEqualTo(document);
        assertThat(document.withComment(Optional.empty()).toView().getComment()).isEmpty();
        assertThat(document.withColumnComment("a", Optional.empty()).columns().getFirst().comment())
                .isEmpty();
    }

    @Test
    void whatIsNoDocumentIsNamed() {
        for (String text : List.of("SELECT 1", "{}", "[]", "null")) {
            assertThatThrownBy(() -> ViewDocument.of(stored(text)))
                    .isInstanceOfSatisfying(
                            TrinoException.class,
                            e ->
                                    assertThat(e.getErrorCode())
                                            .isEqualTo(
                                                    SteleErrorCode.STELE_CORRUPT_DATA
                                                            .toErrorCode()))
                    .hasMessageContaining("the definition of view 's.v'");
        }
        assertThatThrownBy(() -> RefreshRecord.of("{}")).hasMessageContaining("note of a refresh");
    }

    @Test
    void notesOfRefreshesAreWrittenAndReadBack() {
        RefreshRecord last =
                new RefreshRecord(
                        5,
                        List.of(
                                new RefreshRecord.Base(
                                        "s", "t", new TableId(7), 2, new Lsn(65536))),
                        true);
        assertThat(last.text())
                .isEqualTo(
                        "{\"startMillis\":5,\"bases\":[{\"schemaName\":\"s\",\"tableName\":\"t\",\"tableId\":7,\"schemaVersion\":2,\"readLsn\":65536}],\"elsewhere\":true}");
        assertThat(RefreshRecord.of(last.text())).isEqualTo(last);
    }

    private static ViewSchema stored(String text) {
        return new ViewSchema("s", "v", 1, text, Optional.empty(), Optional.empty());
    }
}
