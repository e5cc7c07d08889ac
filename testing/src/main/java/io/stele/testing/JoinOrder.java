package io.stele.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The tables of TPC-H in a plan in the order of its leaves, each join in parentheses. */
public final class JoinOrder {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern TABLE =
            Pattern.compile(
                    "\\b(lineitem|orders|customer|partsupp|part|supplier|nation|region)\\b");
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    private final JsonNode fragments;

    private JoinOrder(JsonNode fragments) {
        this.fragments = fragments;
    }

    /**
     * @param plan of {@code EXPLAIN (FORMAT JSON)}: fragments by number, which name each other
     * @throws IllegalArgumentException the plan reads other tables, or is none
     */
    public static String of(String plan) {
        try {
            JsonNode fragments = JSON.readTree(plan);
            return new JoinOrder(fragments).of(fragments.path("0"));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("Expected a plan as JSON, found " + plan, e);
        }
    }

    private String of(JsonNode node) {
        JsonNode table = node.path("descriptor").path("table");
        if (!table.isMissingNode()) {
            Matcher name = TABLE.matcher(table.asText());
            if (!name.find()) {
                throw new IllegalArgumentException("Expected a table of TPC-H, found " + table);
            }
            return name.group(1);
        }
        List<String> children = new ArrayList<>();
        node.path("children").forEach(child -> children.add(of(child)));
        Matcher remote = NUMBER.matcher(node.path("descriptor").path("sourceFragmentIds").asText());
        while (remote.find()) {
            children.add(of(fragments.path(remote.group())));
        }
        children.removeIf(String::isEmpty);
        return children.size() > 1
                ? "(" + String.join(" ", children) + ")"
                : String.join("", children);
    }
}
