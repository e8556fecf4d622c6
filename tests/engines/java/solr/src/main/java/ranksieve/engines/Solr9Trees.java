package ranksieve.engines;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.solr.ltr.feature.Feature;

/**
 * MultipleAdditiveTreesModel since Solr 9.2, where isNullSameAsZero is false.
 *
 * <p>These classes could not be had, so the walk down a tree is ours, from what their source does.
 * Everything else is left to the pinned version: loading, checks, normalizers, other models, and
 * trees for which a missing value is zero.
 */
final class Solr9Trees extends Solr.Model {
    private static final float SLACK = 1E-6f;

    private final List<Map<String, Object>> trees = new ArrayList<>();
    private final Map<String, Integer> positions = new HashMap<>();

    private Solr9Trees(Map<String, Object> plain, List<Map<String, Object>> trees, String[] names) throws Exception {
        super(plain, names);
        this.trees.addAll(trees);
        List<Feature> features = model.getFeatures();
        for (int position = 0; position < features.size(); position++) {
            positions.put(features.get(position).getName(), position);
        }
    }

    static Engine.Scorer load(String text, String[] names) throws Exception {
        Map<String, Object> description = map(text);
        Map<String, Object> parameters = object(description.get("params"));
        boolean trees = ((String) description.get("class")).endsWith(".MultipleAdditiveTreesModel");
        boolean zero = !trees || (Boolean) parameters.getOrDefault("isNullSameAsZero", true);
        if (!trees) {
            return new Solr.Model(description, names);
        }
        Map<String, Object> plain = object(without(description, "isNullSameAsZero", "missing"));
        return zero ? new Solr.Model(plain, names) : new Solr9Trees(plain, list(parameters.get("trees")), names);
    }

    /** The same description without some keys, which the pinned version does not know. */
    private static Object without(Object value, String... keys) {
        if (value instanceof List<?> list) {
            return list.stream().map(item -> without(item, keys)).toList();
        }
        if (value instanceof Map<?, ?> map) {
            Map<Object, Object> copy = new HashMap<>();
            map.forEach((key, item) -> copy.put(key, without(item, keys)));
            List.of(keys).forEach(copy::remove);
            return copy;
        }
        return value;
    }

    @Override
    public String score(double[] values) {
        float[] vector = vector(values, Float.NaN);
        for (int feature = 0; feature < vector.length; feature++) {
            if (!Float.isNaN(vector[feature])) {
                vector[feature] = model.getNorms().get(feature).normalize(vector[feature]);
            }
        }
        float sum = 0;
        for (Map<String, Object> tree : trees) {
            sum += number(tree.get("weight")) * leaf(object(tree.get("root")), vector);
        }
        return Float.toString(sum);
    }

    private float leaf(Map<String, Object> node, float[] vector) {
        while (node.containsKey("feature")) {
            Integer position = positions.get(node.get("feature"));
            if (position == null) {
                return 0;
            }
            float value = vector[position];
            boolean left = Float.isNaN(value)
                ? direction(node).equals("left")
                : value <= number(node.get("threshold")) + SLACK;
            node = object(node.get(left ? "left" : "right"));
        }
        return node.containsKey("value") ? number(node.get("value")) : 0;
    }

    private static String direction(Map<String, Object> node) {
        Object direction = node.get("missing");
        if (direction == null) {
            throw new NullPointerException("a node of feature " + node.get("feature") + " has no direction missing");
        }
        return (String) direction;
    }

    private static float number(Object value) {
        return Float.parseFloat(value.toString());
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> list(Object value) {
        return (List<Map<String, Object>>) value;
    }
}
