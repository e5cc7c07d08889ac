package io.stele.sidecar.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.QueryIdentity;
import io.stele.protocol.SteleException;
import io.stele.testing.DocumentedExample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TestGroupSpecReader {
    @TempDir private Path directory;

    private GroupSpecs read(String json) throws IOException {
        Path file = directory.resolve("scheduling-groups.json");
        Files.writeString(file, json.replace('\'', '"'));
        return GroupSpecReader.read(file);
    }

    @Test
    void groupsAndTheFirstSelectorThatMatches() throws IOException {
        GroupSpecs specs =
                read(
                        """
                        {'groups': [
                            {'name': 'etl', 'shares': 200, 'maxRunning': 4, 'maxQueued': 8, 'maxLookups': 16, 'maxMemory': '1.5GB'},
                            {'name': 'boards'}],
                         'selectors': [
                            {'user': 'etl-.*', 'group': 'etl'},
                            {'source': 'grafana', 'resourceGroup': 'global[.]boards[.].*', 'group': 'boards'},
                            {'resourceGroup': '.*etl', 'group': 'etl'}]}
                        """);
        assertThat(specs.groups())
                .containsExactly(
                        new GroupSpec("etl", 200, 4, 8, 16, 3L << 29),
                        GroupSpec.ofName("boards"),
                        GroupSpec.ofName("default"));
        assertThat(specs.select(new QueryIdentity("etl-7", "grafana", ""))).isEqualTo("etl");
        assertThat(specs.select(new QueryIdentity("ann", "grafana", "global.boards.x")))
                .isEqualTo("boards");
        assertThat(specs.select(new QueryIdentity("ann", "grafana", "global.etl")))
                .isEqualTo("etl");
        assertThat(specs.select(new QueryIdentity("ann etl-7", "", ""))).isEqualTo("default");
        assertThat(specs.select(QueryIdentity.NONE)).isEqualTo("default");
    }

    @Test
    void theExampleOfTheDocumentation() throws IOException {
        List<DocumentedExample> examples = DocumentedExample.of("docs/configuration.md", "json");
        assertThat(examples).hasSize(1);
        GroupSpecs specs = read(examples.getFirst().text());
        assertThat(specs.groups())
                .extracting(GroupSpec::name)
                .containsExactly("dashboards", "etl", "default");
        assertThat(specs.select(new QueryIdentity("ann", "superset", ""))).isEqualTo("dashboards");
        assertThat(specs.select(new QueryIdentity("etl-7", "", "global.batch.nightly")))
                .isEqualTo("etl");
        assertThat(specs.select(new QueryIdentity("etl-7", "", ""))).isEqualTo("default");
    }

    @Test
    void theDefaultGroupCanBeGivenAndEverythingElseLeftOut() throws IOException {
        assertThat(read("{}")).isEqualTo(GroupSpecs.DEFAULT);
        assertThat(read("{'groups': [{'name': 'default', 'shares': 7}]}").groups())
                .extracting(GroupSpec::shares)
                .containsExactly(7);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[] | an object at $ | found []",
                "{'group': []} | only the keys [groups, selectors] at $ | found 'group'",
                "{'groups': {}} | an array at $.groups | found {}",
                "{'groups': [7]} | an object at $.groups[0] | found 7",
                "{'groups': [{}]} | letters, digits, - or _ | found nothing",
                "{'groups': [{'name': 'a.b'}]} | at $.groups[0].name | found `\"a.b\"`",
                "{'groups': [{'name': 'data-bound'}]} | not one of [data-bound] | found",
                "{'groups': [{'name': 'a'}, {'name': 'a'}]} | a name of its own at $.groups[1].name | found a",
                "{'groups': [{'name': 'a', 'shares': 0}]} | from 1 to 10000 at $.groups[0].shares | found 0",
                "{'groups': [{'name': 'a', 'shares': 1.5}]} | from 1 to 10000 at $.groups[0].shares | found 1.5",
                "{'groups': [{'name': 'a', 'maxRunning': 0}]} | from 1 to 1000000 at $.groups[0].maxRunning | found 0",
                "{'groups': [{'name': 'a', 'maxQueued': -1}]} | from 0 to 1000000 at $.groups[0].maxQueued | found -1",
                "{'groups': [{'name': 'a', 'maxLookups': '9'}]} | at $.groups[0].maxLookups | found",
                "{'groups': [{'name': 'a', 'maxMemory': '15MB'}]} | a size of at least 16MB, such as \"512MB\" at $.groups[0].maxMemory | found `\"15MB\"`",
                "{'groups': [{'name': 'a', 'maxMemory': 512}]} | a size of at least 16MB | found 512",
                "{'groups': [{'name': 'a', 'maxMemory': 'much'}]} | a size of at least 16MB | found `\"much\"`",
                "{'groups': [{'name': 'a', 'share': 1}]} | only the keys | found 'share'",
                "{'selectors': [{'group': 'etl'}]} | one of the groups [default] at $.selectors[0].group | etl",
                "{'selectors': [{'group': 'default', 'user': '('}]} | a regular expression at $.selectors[0].user | Unclosed group",
                "{'selectors': [{'group': 'default', 'user': 1}]} | a regular expression at $.selectors[0].user | found 1",
                "{'groups' | JSON at line 1 | found",
                "{'groups': [], 'groups': []} | JSON at line 1 | Duplicate"
            })
    void errorsSayWhereWhatWasExpectedAndFound(String json, String expected, String found) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("scheduling-groups.json")
                .hasMessageContaining(expected)
                .hasMessageContaining(found.replace("`", ""))
                .extracting(failure -> ((SteleException) failure).code())
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void aMissingFileIsNamed() {
        Path missing = directory.resolve("none.json");
        assertThatThrownBy(() -> GroupSpecReader.read(missing))
                .hasMessageContaining("Expected a readable file of scheduling groups")
                .hasMessageContaining(missing.toString());
    }
}
