export { max, range } from "d3-array";
export { axisBottom, axisLeft } from "d3-axis";
export { hierarchy, treemap } from "d3-hierarchy";
export { scaleBand, scaleLinear } from "d3-scale";
export { select } from "d3-selection";
export { line } from "d3-shape";
