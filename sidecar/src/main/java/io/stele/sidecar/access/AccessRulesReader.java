package io.stele.sidecar.access;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import io.stele.protocol.SteleException;
import io.stele.sidecar.access.AccessRules.SchemaRule;
import io.stele.sidecar.access.AccessRules.TableRule;
import io.stele.sidecar.settings.JsonSettings;
import io.stele.sidecar.settings.JsonSettings.Element;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A parser of files of rules, in the format of Trino's file-based access control: its {@code
 * tables} and {@code schemas}. Rules that this sidecar cannot enforce are refused, not ignored,
 * because a user would then get more than the file admits.
 *
 * @see <a href="https://trino.io/docs/current/security/file-system-access-control.html">Trino,
 *     File-based access control</a>
 */
final class AccessRulesReader {
    private static final int MAX_RULES = 10_000;

    private static final Set<String> TABLE_KEYS =
            Set.of("user", "catalog", "schema", "table", "privileges");
    private static final Set<String> SCHEMA_KEYS = Set.of("user", "catalog", "schema", "owner");

    /** Keys that Trino has, with what is expected in their place. */
    private static final Map<String, String> OF_TRINO_ONLY =
            Map.of(
                    "group", "users by name, since the password file has no groups,",
                    "role", "users by name, since the password file has no roles,",
                    "columns", "privileges on whole tables",
                    "filter", "privileges on all rows of tables",
                    "filter_environment", "privileges on all rows of tables");

    private final JsonSettings settings;
    private final String catalog;

    private AccessRulesReader(JsonSettings settings, String catalog) {
        this.settings = requireNonNull(settings, "settings is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
    }

    /**
     * @param catalog the name of the tables' catalog in Trino; rules of other catalogs are ignored
     * @throws SteleException INVALID_ARGUMENT if the file is wrong; the message names the place
     */
    static AccessRules read(Path file, byte[] content, String catalog) {
        return new AccessRulesReader(JsonSettings.of(file, content), catalog).read();
    }

    private AccessRules read() {
        settings.requireObject(settings.root(), Set.of("tables", "schemas"));
        if (!settings.root().node().has("tables")) {
            // Trino takes this for the right to everything
            throw settings.wrong("$.tables", "an array of rules", "nothing");
        }
        List<TableRule> tables = new ArrayList<>();
        for (Element element : rules("tables")) {
            TableRule rule = tableRule(element);
            if (isOfCatalog(element)) {
                tables.add(rule);
            }
        }
        List<SchemaRule> schemas = new ArrayList<>();
        for (Element element : rules("schemas")) {
            SchemaRule rule = schemaRule(element);
            if (isOfCatalog(element)) {
                schemas.add(rule);
            }
        }
        return new AccessRules(tables, schemas);
    }

    private List<Element> rules(String key) {
        List<Element> rules = settings.elements(key);
        if (rules.size() > MAX_RULES) {
            throw settings.wrong("$." + key, "at most " + MAX_RULES + " rules", rules.size());
        }
        return rules;
    }

    private boolean isOfCatalog(Element rule) {
        Optional<Pattern> pattern = settings.pattern(rule, "catalog");
        return pattern.isEmpty() || pattern.get().matcher(catalog).matches();
    }

    private TableRule tableRule(Element rule) {
        requireKeys(rule, TABLE_KEYS);
        return new TableRule(
                settings.pattern(rule, "user"),
                settings.pattern(rule, "schema"),
                settings.pattern(rule, "table"),
                privileges(rule));
    }

    private SchemaRule schemaRule(Element rule) {
        requireKeys(rule, SCHEMA_KEYS);
        JsonNode owner = rule.node().path("owner");
        if (!owner.isBoolean()) {
            throw settings.wrong(rule.path() + ".owner", "true or false", owner);
        }
        return new SchemaRule(
                settings.pattern(rule, "user"),
                settings.pattern(rule, "schema"),
                owner.booleanValue());
    }

    private void requireKeys(Element rule, Set<String> keys) {
        OF_TRINO_ONLY.forEach(
                (key, expected) -> {
                    if (rule.node().has(key)) {
                        throw settings.wrong(rule.path(), expected, "the key '" + key + "'");
                    }
                });
        settings.requireObject(rule, keys);
    }

    private Set<Privilege> privileges(Element rule) {
        JsonNode names = rule.node().path("privileges");
        String path = rule.path() + ".privileges";
        if (!names.isArray()) {
            throw settings.wrong(path, "an array of privileges", names);
        }
        Set<Privilege> privileges = EnumSet.noneOf(Privilege.class);
        for (JsonNode name : names) {
            privileges.add(privilege(path, name));
        }
        if (privileges.contains(Privilege.GRANT_SELECT)) {
            privileges.add(Privilege.SELECT); // as in Trino
        }
        return privileges;
    }

    private Privilege privilege(String path, JsonNode name) {
        return Arrays.stream(Privilege.values())
                .filter(privilege -> name.isTextual() && privilege.name().equals(name.textValue()))
                .findFirst()
                .orElseThrow(
                        () ->
                                settings.wrong(
                                        path,
                                        "privileges of " + Arrays.toString(Privilege.values()),
                                        name));
    }
}
