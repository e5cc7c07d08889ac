package io.stele.sidecar.postgresql.catalog;

import io.stele.sidecar.postgresql.catalog.relation.CatalogSettings;
import io.stele.sidecar.postgresql.catalog.relation.CatalogValues;
import io.stele.sidecar.postgresql.catalog.relation.TypeOids;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The evaluation of SHOW, from the session's settings and their defaults. Stateless. */
final class ShowAnswers {
    private ShowAnswers() {}

    static boolean isShow(StatementText text) {
        return text.word(0).equals("show") && text.size() > 1;
    }

    private static String setting(StatementText text) {
        String first = text.word(1);
        return switch (first) {
            case "transaction" -> "transaction_isolation";
            case "time" -> "timezone";
            default ->
                    text.size() == 2 ? Literals.name(first) : first + text.word(2) + text.word(3);
        };
    }

    static List<CatalogColumn> columns(StatementText text) {
        if (text.word(1).equals("all")) {
            return List.of(
                    new CatalogColumn("name", TypeOids.TEXT),
                    new CatalogColumn("setting", TypeOids.TEXT),
                    new CatalogColumn("description", TypeOids.TEXT));
        }
        return List.of(new CatalogColumn(setting(text), TypeOids.TEXT));
    }

    static CatalogResult answer(StatementText text, QueryContext context) {
        if (text.word(1).equals("all")) {
            Map<String, String> all = new TreeMap<>(CatalogSettings.DEFAULTS);
            all.putAll(context.session().settings());
            List<List<Optional<String>>> rows = new ArrayList<>();
            all.forEach(
                    (name, value) ->
                            rows.add(
                                    List.of(
                                            Optional.of(name),
                                            Optional.of(value),
                                            Optional.of(""))));
            return new CatalogResult(columns(text), rows);
        }
        String name = setting(text);
        String value =
                context.setting(name)
                        .orElseThrow(
                                () ->
                                        CatalogValues.invalid(
                                                "the name of a setting", "'" + name + "'"));
        return new CatalogResult(columns(text), List.of(List.of(Optional.of(value))));
    }
}
