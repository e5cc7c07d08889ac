package io.stele.benchmarks.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class TestLoadedTable {
    @Test
    void queriesAreOfOneSchemaAndNamesDiffer() {
        List<LoadedTable> tables =
                Stream.concat(LoadedTable.ALL.stream(), LoadedTable.SMALL_DIMENSIONS.stream())
                        .toList();
        assertThat(tables).extracting(LoadedTable::name).doesNotHaveDuplicates();
        assertThat(tables)
                .extracting(table -> table.select("sf1"))
                .noneMatch(query -> query.contains("%1$s") || query.contains("%%"));
        assertThat(LoadedTable.TPCH).hasSize(8);
        assertThat(LoadedTable.TPCH.getFirst().select("sf1"))
                .isEqualTo("SELECT * FROM tpch.\"sf1\".lineitem");
    }
}
