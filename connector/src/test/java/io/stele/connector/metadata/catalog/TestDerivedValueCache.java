package io.stele.connector.metadata.catalog;

import static io.trino.type.InternalTypeManager.TESTING_TYPE_MANAGER;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.connector.type.AllTypes;
import io.stele.connector.type.TrinoTypes;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TestDerivedValueCache {
    @Test
    void onceForAnObjectAndAnewForAnEqualOne() {
        List<TableSchema> asked = new ArrayList<>();
        DerivedValueCache<TableSchema, String> made =
                new DerivedValueCache<>(
                        table -> {
                            asked.add(table);
                            return table.qualifiedName();
                        });
        TableSchema one = AllTypes.table();
        TableSchema equal = AllTypes.table();
        assertThat(made.of(one)).isSameAs(made.of(one)).isEqualTo(one.qualifiedName());
        assertThat(asked).hasSize(1);
        assertThat(made.of(equal)).isEqualTo(one.qualifiedName());
        assertThat(asked).hasSize(2);
    }

    @Test
    void aTableIsShownAsItIs() {
        TableDefinitions definitions = new TableDefinitions(new TrinoTypes(TESTING_TYPE_MANAGER));
        TableSchema table = AllTypes.table();
        assertThat(definitions.schema(table).getColumns())
                .usingRecursiveComparison()
                .isEqualTo(definitions.toTrino(table).getTableSchema().getColumns());
        assertThat(definitions.handles(table)).containsKeys("id", "c1", "$lsn");
        assertThat(definitions.handles(table).get("c1"))
                .isEqualTo(definitions.columnHandle(table.column(2)));
    }
}
