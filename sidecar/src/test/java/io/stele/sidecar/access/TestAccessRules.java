package io.stele.sidecar.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.SteleException;
import io.stele.testing.DocumentedExample;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TestAccessRules {
    private static AccessRules read(String json) {
        return AccessRulesReader.read(
                Path.of("rules.json"), json.replace('\'', '"').getBytes(UTF_8), "stele");
    }

    @Test
    void theFirstRuleThatMatchesDecides() {
        AccessRules rules =
                read(
                        """
                        {'tables': [
                            {'user': 'ann', 'schema': 'shop', 'table': 'secrets', 'privileges': []},
                            {'user': 'ann|bob', 'schema': 'shop', 'privileges': ['SELECT', 'INSERT']},
                            {'user': 'ann', 'privileges': ['OWNERSHIP']},
                            {'user': 'carl', 'table': 'o.*', 'privileges': ['GRANT_SELECT']}]}
                        """);
        assertThat(rules.privileges("ann", "shop", "secrets")).isEmpty();
        assertThat(rules.privileges("ann", "shop", "orders"))
                .containsExactlyInAnyOrder(Privilege.SELECT, Privilege.INSERT);
        assertThat(rules.privileges("ann", "other", "orders")).containsExactly(Privilege.OWNERSHIP);
        assertThat(rules.privileges("bob", "shop", "secrets"))
                .containsExactlyInAnyOrder(Privilege.SELECT, Privilege.INSERT);
        assertThat(rules.privileges("carl", "any", "orders"))
                .containsExactlyInAnyOrder(Privilege.SELECT, Privilege.GRANT_SELECT);
    }

    /** No table has them, so nothing is remembered of them, and no pattern is tried. */
    @Test
    void namesThatNoTableCanHaveAreDenied() {
        AccessRules rules = read("{'tables': [{'privileges': ['SELECT']}]}");
        assertThat(rules.privileges("ann", "shop", "orders")).hasSize(1);
        assertThat(rules.privileges("ann", "shop", "o".repeat(1 << 20))).isEmpty();
        assertThat(rules.privileges("ann", "s".repeat(1 << 20), "orders")).isEmpty();
    }

    @Test
    void patternsMatchWholeNames() {
        AccessRules rules =
                read(
                        "{'tables': [{'user': 'ann', 'schema': 'shop', 'table': 'orders',"
                                + " 'privileges': ['SELECT']}]}");
        assertThat(rules.privileges("ann", "shop", "orders")).hasSize(1);
        assertThat(rules.privileges("anna", "shop", "orders")).isEmpty();
        assertThat(rules.privileges("joann", "shop", "orders")).isEmpty();
        assertThat(rules.privileges("ann", "shops", "orders")).isEmpty();
        assertThat(rules.privileges("ann", "shop", "orders_2")).isEmpty();
        assertThat(rules.privileges("ann", "shop", "old_orders")).isEmpty();
    }

    @Test
    void rulesOfOtherCatalogsDoNotMatter() {
        AccessRules rules =
                read(
                        """
                        {'tables': [
                            {'catalog': 'hive', 'privileges': ['SELECT', 'DELETE']},
                            {'catalog': 'ste.*', 'user': 'ann', 'privileges': ['INSERT']}]}
                        """);
        assertThat(rules.privileges("ann", "shop", "orders")).containsExactly(Privilege.INSERT);
        assertThat(rules.privileges("bob", "shop", "orders")).isEmpty();
    }

    @Test
    void schemasAreSeenByOwnersAndByUsersOfTheirTables() {
        AccessRules rules =
                read(
                        """
                        {'tables': [
                            {'user': 'ann', 'schema': 'hidden', 'privileges': []},
                            {'user': 'ann', 'schema': 'half', 'table': 'a', 'privileges': []},
                            {'user': 'ann', 'schema': 'half|hidden|shop', 'table': '.*',
                                'privileges': ['SELECT']}],
                         'schemas': [
                            {'user': 'bob', 'schema': 'shop', 'owner': false},
                            {'user': 'bob', 'owner': true}]}
                        """);
        assertThat(rules.maySeeSchema("ann", "shop")).isTrue();
        assertThat(rules.maySeeSchema("ann", "half")).isTrue();
        assertThat(rules.maySeeSchema("ann", "hidden")).isFalse();
        assertThat(rules.maySeeSchema("ann", "other")).isFalse();
        assertThat(rules.maySeeSchema("bob", "shop")).isFalse();
        assertThat(rules.maySeeSchema("bob", "empty")).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "[]; an object at $",
                "{'tables': [; JSON at line 1",
                "{'tables': []} {}; JSON at line 1",
                "{}; an array of rules at $.tables",
                "{'tables': {}}; an array at $.tables",
                "{'tables': [], 'catalogs': []}; found 'catalogs'",
                "{'tables': [{}]}; an array of privileges at $.tables[0].privileges",
                "{'tables': [{'privileges': ['select']}]}; found \"select\"",
                "{'tables': [{'privileges': ['TRUNCATE']}]}; at $.tables[0].privileges",
                "{'tables': [{'privileges': [], 'tabel': 'x'}]}; $.tables[0] of rules.json, found 'tabel'",
                "{'tables': [{'privileges': [], 'group': 'x'}]}; has no groups, at $.tables[0]",
                "{'tables': [{'privileges': [], 'role': 'x'}]}; has no roles, at $.tables[0]",
                "{'tables': [{'privileges': [], 'columns': []}]}; found the key 'columns'",
                "{'tables': [{'privileges': [], 'filter': 'x'}]}; found the key 'filter'",
                "{'tables': [{'privileges': [], 'user': '('}]}; a regular expression at $.tables[0].user",
                "{'tables': [{'privileges': [], 'schema': 1}]}; a regular expression at $.tables[0].schema",
                "{'tables': [], 'schemas': [{}]}; true or false at $.schemas[0].owner",
                "{'tables': [], 'schemas': [{'owner': true, 'group': 'x'}]}; at $.schemas[0]",
                "{'tables': [], 'tables': []}; Duplicate field",
            })
    void whatIsWrongIsSaid(String json, String message) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining(message)
                .hasMessageContaining("rules.json");
    }

    @Test
    void theExampleOfTheDocumentation() throws IOException {
        List<DocumentedExample> examples = DocumentedExample.of("docs/serving.md", "json");
        assertThat(examples).hasSize(1);
        AccessRules rules = read(examples.getFirst().text());
        assertThat(rules.privileges("alice", "shop", "orders"))
                .containsExactlyInAnyOrder(
                        Privilege.SELECT, Privilege.INSERT, Privilege.UPDATE, Privilege.DELETE);
        assertThat(rules.privileges("alice", "shop", "salaries")).isEmpty();
        assertThat(rules.privileges("grafana", "shop", "orders")).containsExactly(Privilege.SELECT);
        assertThat(rules.privileges("grafana", "shop", "salaries")).isEmpty();
        assertThat(rules.privileges("etl-7", "stage", "bills")).contains(Privilege.OWNERSHIP);
        assertThat(rules.privileges("etl-7", "shop", "orders")).isEmpty();
        assertThat(rules.maySeeSchema("grafana", "stage")).isFalse();
    }
}
